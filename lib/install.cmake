# What `cmake --install` gives to other programs: the library of dragoman/translator.h, and, as the component
# "modules", the static libraries and headers behind it, for programs that build on LibTorch themselves.
include(CMakePackageConfigHelpers)
set(dragoman_package ${CMAKE_INSTALL_LIBDIR}/cmake/dragoman)

install(TARGETS dragoman_shared EXPORT dragoman_targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT dragoman_targets FILE dragoman_targets.cmake NAMESPACE dragoman:: DESTINATION ${dragoman_package})

if(DRAGOMAN_WITH_TORCH)
  install(TARGETS dragoman_base dragoman_torch EXPORT dragoman_modules
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT modules
    FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT modules)
  install(EXPORT dragoman_modules FILE dragoman_modules.cmake NAMESPACE dragoman:: DESTINATION ${dragoman_package}
    COMPONENT modules)

  # What the static libraries are linked with.
  install(FILES ${PROJECT_SOURCE_DIR}/third_party/torch.cmake DESTINATION ${dragoman_package} COMPONENT modules)
  set(dragoman_more_libraries "")
  if(DRAGOMAN_MPI)
    list(APPEND dragoman_more_libraries ${MPI_C_LIBRARIES})
  endif()
  if(DRAGOMAN_NCCL)
    list(APPEND dragoman_more_libraries ${DRAGOMAN_NCCL_LIBRARY} ${DRAGOMAN_CUDART_LIBRARY})
  endif()
  list(JOIN dragoman_more_libraries " " dragoman_more_libraries)
  if(TARGET dragoman_sentencepiece)
    install(FILES $<TARGET_FILE:dragoman_sentencepiece> DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT modules)
    set(dragoman_sentencepiece "\${dragoman_prefix}/${CMAKE_INSTALL_LIBDIR}/libdragoman_sentencepiece.a")
  else()
    set(dragoman_sentencepiece "${SentencePiece_TRAIN_LIBRARY} ${SentencePiece_LIBRARY}")
  endif()
endif()

# The licences of what the library contains; app/install.cmake adds those of the program.
function(dragoman_install_licence package)
  set(licence /usr/share/doc/${package}/copyright)
  if(EXISTS ${licence})
    install(FILES ${licence} RENAME ${package} DESTINATION ${dragoman_documents}/licences)
  else()
    message(STATUS "${licence}: not found; add this licence to what is installed before you pass it on")
  endif()
endfunction()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${dragoman_documents})
dragoman_install_licence(nlohmann-json3-dev)
if(sentencepiece_source)
  file(GLOB_RECURSE licences RELATIVE ${sentencepiece_source} ${sentencepiece_source}/LICENSE
    ${sentencepiece_source}/third_party/LICENSE)
  foreach(licence IN LISTS licences)
    cmake_path(GET licence PARENT_PATH folder)
    install(FILES ${sentencepiece_source}/${licence} DESTINATION ${dragoman_documents}/licences/sentencepiece/${folder})
  endforeach()
endif()

# For builds without CMake.
file(RELATIVE_PATH prefix_from_pkgconfig /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" prefix_from_pkgconfig "${prefix_from_pkgconfig}")
configure_file(dragoman.pc.in dragoman.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/dragoman.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

configure_package_config_file(dragomanConfig.cmake.in dragomanConfig.cmake INSTALL_DESTINATION ${dragoman_package})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/dragomanConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/dragomanConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/dragomanConfigVersion.cmake DESTINATION ${dragoman_package})
