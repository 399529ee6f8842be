# What `cmake --install` and the packages contain: the component "runtime" translates, scores, evaluates and
# tokenizes without LibTorch; the component "torch" adds the rest. The tree works wherever it is moved: the
# program finds its libraries from its own place ($ORIGIN), and its files in ../share/dragoman.
set(dragoman_libraries ${CMAKE_INSTALL_LIBDIR}/dragoman)

install(TARGETS dragoman RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# Whether LibTorch's libraries are installed too, so that nothing is looked for where it was built.
set(bundle ON)
if(DRAGOMAN_WITH_TORCH)
  include(install_torch.cmake)
endif()
if(DRAGOMAN_JEMALLOC)
  file(REAL_PATH ${DRAGOMAN_JEMALLOC_LIBRARY} jemalloc_file)
  install(FILES ${jemalloc_file} DESTINATION ${dragoman_libraries})
endif()
if(bundle)
  # Nothing of the computer that built them stays in the search path of the program and the library.
  file(RELATIVE_PATH libraries_from_program ${CMAKE_INSTALL_FULL_BINDIR}
    ${CMAKE_INSTALL_PREFIX}/${dragoman_libraries})
  install(CODE "
    set(prefix \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
    file(RPATH_SET FILE \"\${prefix}/${CMAKE_INSTALL_BINDIR}/dragoman\"
      NEW_RPATH \"\\\$ORIGIN/${libraries_from_program}\")
    file(RPATH_SET FILE \"\${prefix}/${CMAKE_INSTALL_LIBDIR}/$<TARGET_FILE_NAME:dragoman_shared>\"
      NEW_RPATH \"\\\$ORIGIN/dragoman\")")
endif()

install(FILES ${CMAKE_CURRENT_SOURCE_DIR}/dragoman.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${PROJECT_SOURCE_DIR}/CHANGELOG.md DESTINATION ${dragoman_documents})
install(FILES ${CMAKE_CURRENT_SOURCE_DIR}/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/dragoman-runtime)
install(FILES ${CMAKE_CURRENT_SOURCE_DIR}/README.md RENAME MANUAL.md DESTINATION ${dragoman_documents} COMPONENT torch)
install(FILES ${PROJECT_SOURCE_DIR}/third_party/README.md RENAME DEPENDENCIES.md DESTINATION ${dragoman_documents})
dragoman_install_licence(libcli11-dev)
if(DRAGOMAN_JEMALLOC)
  dragoman_install_licence(libjemalloc2)
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
