# make package: dragoman-VERSION-linux-PROCESSOR.tar.gz with the whole installed tree, and two Debian packages:
# dragoman-runtime, which translates without LibTorch, and dragoman, which adds the rest. Without the component
# "modules": those who build on the modules have LibTorch's headers and build Dragoman, too.
set(CPACK_GENERATOR TGZ DEB)
set(CPACK_COMPONENTS_ALL runtime)
if(DRAGOMAN_WITH_TORCH)
  list(APPEND CPACK_COMPONENTS_ALL torch)
endif()
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_ARCHIVE_COMPONENT_INSTALL OFF)
set(CPACK_INSTALL_CMAKE_PROJECTS "")
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  list(APPEND CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};dragoman;${component};/")
  # The Debian generator makes a package of each; without this it would make one of all.
  string(TOUPPER ${component} upper)
  set(CPACK_COMPONENTS_${upper} ${component})
endforeach()
set(CPACK_PACKAGE_FILE_NAME dragoman-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Neural machine translation")
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)

set(CPACK_DEBIAN_PACKAGE_MAINTAINER "The Dragoman developers <dragoman@localhost>")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
# The archive has the folders of `make install` at its top, a Debian package below /usr.
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_BINARY_DIR}/package_prefix.cmake)
file(WRITE ${CPACK_PROJECT_CONFIG_FILE} [[
set(CPACK_PACKAGING_INSTALL_PREFIX /)
if(CPACK_GENERATOR STREQUAL DEB)
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
endif()
]])
# Not below what the program is linked with here.
execute_process(COMMAND getconf GNU_LIBC_VERSION OUTPUT_VARIABLE libc_version
  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
string(REGEX MATCH "[0-9.]+" libc_version "${libc_version}")
# Clang's version is not that of the library.
execute_process(COMMAND ${CMAKE_COMMAND} -E echo "#include <version>"
  COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 -x c++ -dM -E - OUTPUT_VARIABLE macros ERROR_QUIET)
string(REGEX MATCH "_GLIBCXX_RELEASE ([0-9]+)" macros "${macros}")
set(library_version ${CMAKE_MATCH_1})
# dragoman_demands(RESULT PACKAGE VERSION): "PACKAGE (>= VERSION)", without a version the package alone.
function(dragoman_demands result package version)
  if(version)
    set(${result} "${package} (>= ${version})" PARENT_SCOPE)
  else()
    message(STATUS "${package}: its version is unknown, and the packages demand none")
    set(${result} ${package} PARENT_SCOPE)
  endif()
endfunction()
dragoman_demands(libc libc6 "${libc_version}")
dragoman_demands(libstdcxx libstdc++6 "${library_version}")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS "${libc}, ${libstdcxx}, libgcc-s1, zlib1g")
if(NOT TARGET dragoman_sentencepiece)  # it is the system's
  string(APPEND CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS ", libsentencepiece0")
endif()
set(CPACK_DEBIAN_TORCH_PACKAGE_DEPENDS "dragoman-runtime (= ${PROJECT_VERSION})")
if(DRAGOMAN_MPI)  # Open MPI as Debian 12 and 13 name it
  string(APPEND CPACK_DEBIAN_TORCH_PACKAGE_DEPENDS ", libopenmpi3 | libopenmpi40")
endif()
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME dragoman-runtime)
set(CPACK_DEBIAN_TORCH_PACKAGE_NAME dragoman)
foreach(component RUNTIME TORCH)
  set(CPACK_DEBIAN_${component}_FILE_NAME
    ${CPACK_DEBIAN_${component}_PACKAGE_NAME}-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR}.deb)
endforeach()
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION "Translates, scores, evaluates and tokenizes, without LibTorch.")
set(CPACK_DEBIAN_TORCH_DESCRIPTION "Trains and analyses, with LibTorch.")
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)  # and the trigger of ldconfig
set(CPACK_POST_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/debian_facts.cmake)
include(CPack)
