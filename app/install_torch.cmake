# The component "torch": the commands that need LibTorch, LibTorch's libraries, configurations and the demo corpus.
# Sets `bundle` to OFF if the libraries stay where they are.
install(TARGETS dragoman_torch_program LIBRARY DESTINATION ${dragoman_libraries} COMPONENT torch)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/configs DESTINATION ${CMAKE_INSTALL_DATADIR}/dragoman COMPONENT torch
  FILES_MATCHING PATTERN *.json PATTERN *_relations.txt PATTERN report EXCLUDE PATTERN results EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/data/demo DESTINATION ${CMAKE_INSTALL_DATADIR}/dragoman/data COMPONENT torch
  FILES_MATCHING PATTERN *.gz)
install(FILES ${CMAKE_CURRENT_SOURCE_DIR}/copyright DESTINATION ${dragoman_documents} COMPONENT torch)

if(NOT DRAGOMAN_BUNDLE_TORCH OR DRAGOMAN_CUDA)
  if(DRAGOMAN_BUNDLE_TORCH)
    message(STATUS "installation: LibTorch's CUDA libraries (4 GB) are not copied; the program keeps using them where they are")
  endif()
  set(bundle OFF)
  return()
endif()
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
install(CODE "
  file(RPATH_SET FILE
    \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${dragoman_libraries}/$<TARGET_FILE_NAME:dragoman_torch_program>\"
    NEW_RPATH \"\\\$ORIGIN\")" COMPONENT torch)
