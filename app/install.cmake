# What `cmake --install` and the packages contain: the component "runtime" translates, scores, evaluates and
# tokenizes without LibTorch; the component "torch" adds the rest. The tree works wherever it is moved: the
# program finds its libraries from its own place ($ORIGIN), and its files in ../share/dragoman.
set(dragoman_libraries ${CMAKE_INSTALL_LIBDIR}/dragoman)
set(dragoman_documents ${CMAKE_INSTALL_DATADIR}/doc/dragoman)

install(TARGETS dragoman RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS dragoman_torch_program LIBRARY DESTINATION ${dragoman_libraries} COMPONENT torch)
if(DRAGOMAN_BUNDLE_TORCH AND DRAGOMAN_CUDA)
  message(STATUS "installation: LibTorch's CUDA libraries (4 GB) are not copied; the program keeps using them where they are")
elseif(DRAGOMAN_BUNDLE_TORCH)
  foreach(name libtorch.so libtorch_cpu.so libc10.so)
    install(FILES ${torch_folder}/lib/${name} DESTINATION ${dragoman_libraries} COMPONENT torch)
  endforeach()
  # The OpenMP library of pip's torch; LibTorch of a distribution uses the system's.
  file(GLOB torch_openmp ${torch_folder}/lib/libgomp*.so*)
  install(FILES ${torch_openmp} DESTINATION ${dragoman_libraries} COMPONENT torch)
  if(torch_openmp)
    install(FILES /usr/share/doc/libgomp1/copyright OPTIONAL RENAME libgomp
      DESTINATION ${dragoman_documents}/licences COMPONENT torch)
  endif()
  file(GLOB torch_licences ${torch_folder}/../torch-*.dist-info/licenses/* ${torch_folder}/LICENSE
    ${torch_folder}/NOTICE)
  foreach(licence IN LISTS torch_licences)
    if(NOT IS_DIRECTORY ${licence})
      install(FILES ${licence} DESTINATION ${dragoman_documents}/licences/libtorch COMPONENT torch)
    else()
      install(DIRECTORY ${licence} DESTINATION ${dragoman_documents}/licences/libtorch COMPONENT torch)
    endif()
  endforeach()
  if(DRAGOMAN_JEMALLOC)
    file(REAL_PATH ${DRAGOMAN_JEMALLOC_LIBRARY} jemalloc_file)
    install(FILES ${jemalloc_file} DESTINATION ${dragoman_libraries})
  endif()
  # Nothing of the computer that built them stays in the search path of the program and the library.
  file(RELATIVE_PATH libraries_from_program ${CMAKE_INSTALL_FULL_BINDIR}
    ${CMAKE_INSTALL_PREFIX}/${dragoman_libraries})
  install(CODE "
    set(prefix \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
    file(RPATH_SET FILE \"\${prefix}/${CMAKE_INSTALL_BINDIR}/dragoman\"
      NEW_RPATH \"\\\$ORIGIN/${libraries_from_program}\")
    file(RPATH_SET FILE \"\${prefix}/${CMAKE_INSTALL_LIBDIR}/$<TARGET_FILE_NAME:dragoman_shared>\"
      NEW_RPATH \"\\\$ORIGIN/dragoman\")")
  install(CODE "
    file(RPATH_SET FILE
      \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${dragoman_libraries}/$<TARGET_FILE_NAME:dragoman_torch_program>\"
      NEW_RPATH \"\\\$ORIGIN\")" COMPONENT torch)
endif()

install(DIRECTORY ${PROJECT_SOURCE_DIR}/configs DESTINATION ${CMAKE_INSTALL_DATADIR}/dragoman COMPONENT torch
  FILES_MATCHING PATTERN *.json PATTERN report EXCLUDE PATTERN results EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/data/demo DESTINATION ${CMAKE_INSTALL_DATADIR}/dragoman/data COMPONENT torch
  FILES_MATCHING PATTERN *.gz)
install(FILES ${CMAKE_CURRENT_SOURCE_DIR}/dragoman.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/CHANGELOG.md DESTINATION ${dragoman_documents})
# Each Debian package has its own.
install(FILES ${CMAKE_CURRENT_SOURCE_DIR}/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/dragoman-runtime)
install(FILES ${CMAKE_CURRENT_SOURCE_DIR}/copyright DESTINATION ${dragoman_documents} COMPONENT torch)
install(FILES ${PROJECT_SOURCE_DIR}/third_party/README.md RENAME DEPENDENCIES.md DESTINATION ${dragoman_documents})
foreach(package libcli11-dev nlohmann-json3-dev libjemalloc2)
  install(FILES /usr/share/doc/${package}/copyright OPTIONAL RENAME ${package}
    DESTINATION ${dragoman_documents}/licences)
endforeach()
if(sentencepiece_source)
  file(GLOB_RECURSE licences RELATIVE ${sentencepiece_source} ${sentencepiece_source}/LICENSE
    ${sentencepiece_source}/third_party/LICENSE)
  foreach(licence IN LISTS licences)
    cmake_path(GET licence PARENT_PATH folder)
    install(FILES ${sentencepiece_source}/${licence} DESTINATION ${dragoman_documents}/licences/sentencepiece/${folder})
  endforeach()
endif()

# The program itself prints its completions.
foreach(shell_and_file bash:bash-completion/completions/dragoman zsh:zsh/site-functions/_dragoman
    fish:fish/vendor_completions.d/dragoman.fish)
  string(REPLACE ":" ";" parts ${shell_and_file})
  list(GET parts 0 shell)
  list(GET parts 1 file)
  cmake_path(GET file FILENAME name)
  cmake_path(GET file PARENT_PATH folder)
  set(made ${CMAKE_CURRENT_BINARY_DIR}/completion-${shell})
  if(NOT CMAKE_CROSSCOMPILING)
    install(CODE "execute_process(COMMAND \"$<TARGET_FILE:dragoman>\" completion ${shell}
      OUTPUT_FILE \"${made}\" COMMAND_ERROR_IS_FATAL ANY)")
    install(FILES ${made} RENAME ${name} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder})
  endif()
endforeach()
