# Where programs look for their libraries: $ORIGIN/../lib/dragoman, which installation fills, and the folders of
# the libraries that the build uses. CMake's own build paths end in an empty element, which the loader takes
# for the current directory: a library in the folder of a downloaded model would be loaded.
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
set(CMAKE_INSTALL_RPATH "$ORIGIN" "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}/dragoman")
if(DRAGOMAN_WITH_TORCH)
  list(APPEND CMAKE_INSTALL_RPATH ${torch_folder}/lib)
endif()
foreach(library IN LISTS DRAGOMAN_JEMALLOC_LIBRARY MPI_C_LIBRARIES ZLIB_LIBRARIES)
  cmake_path(GET library PARENT_PATH folder)
  if(IS_ABSOLUTE "${folder}" AND NOT folder IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
    list(APPEND CMAKE_INSTALL_RPATH ${folder})
  endif()
endforeach()
list(REMOVE_DUPLICATES CMAKE_INSTALL_RPATH)
