# make package: dragoman-VERSION-linux-PROCESSOR.tar.gz and a Debian package of the installed tree, without the
# component "modules": those who build on the modules have LibTorch's headers and build Dragoman, too.
set(CPACK_GENERATOR TGZ DEB)
set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};dragoman;${CMAKE_INSTALL_DEFAULT_COMPONENT_NAME};/")
set(CPACK_PACKAGE_FILE_NAME dragoman-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Neural machine translation: train, translate, evaluate")
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)

set(CPACK_DEBIAN_PACKAGE_MAINTAINER "The Dragoman developers <dragoman@localhost>")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
# What the program is linked with here is the oldest that it runs with.
execute_process(COMMAND getconf GNU_LIBC_VERSION OUTPUT_VARIABLE libc_version
  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
string(REGEX MATCH "[0-9.]+" libc_version "${libc_version}")
string(REGEX MATCH "^[0-9]+" compiler_version "${CMAKE_CXX_COMPILER_VERSION}")
set(CPACK_DEBIAN_PACKAGE_DEPENDS
  "libc6 (>= ${libc_version}), libstdc++6 (>= ${compiler_version}), libgcc-s1, zlib1g")
if(DRAGOMAN_MPI)  # Open MPI as Debian 12 and 13 name it
  string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", libopenmpi3 | libopenmpi40")
endif()
include(CPack)
