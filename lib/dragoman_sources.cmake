# dragoman_sources(base|torch NAMES...): adds NAME.cpp (if it exists) and NAME.h of the calling
# folder to the library, if that is built. A unity build compiles the files of one group together.
function(dragoman_sources side)
  if(side STREQUAL torch AND NOT DRAGOMAN_WITH_TORCH)
    return()
  endif()
  foreach(name IN LISTS ARGN)
    set(file ${CMAKE_CURRENT_SOURCE_DIR}/${name})
    if(NOT EXISTS ${file}.cpp AND NOT EXISTS ${file}.h)
      message(FATAL_ERROR "${CMAKE_CURRENT_SOURCE_DIR}/CMakeLists.txt: there is neither ${name}.cpp nor ${name}.h")
    endif()
    if(EXISTS ${file}.cpp)
      target_sources(dragoman_${side} PRIVATE ${file}.cpp)
      set_source_files_properties(${file}.cpp TARGET_DIRECTORY dragoman_${side}
        PROPERTIES UNITY_GROUP "${dragoman_unity_group}")
    endif()
    if(EXISTS ${file}.h)
      target_sources(dragoman_${side} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/lib
        FILES ${file}.h)
    endif()
  endforeach()
endfunction()

# dragoman_folders(NAMES...): adds these folders. A unity build makes one file of them all, because each
# file that includes LibTorch's headers costs several seconds before its own first line is compiled;
# so file-local names (functions and types in unnamed namespaces) must differ within the group.
function(dragoman_folders)
  list(JOIN ARGN "_" dragoman_unity_group)
  foreach(folder IN LISTS ARGN)
    add_subdirectory(dragoman/${folder})
  endforeach()
endfunction()
