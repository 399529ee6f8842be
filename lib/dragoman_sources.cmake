# dragoman_sources(base|torch NAMES...): adds NAME.cpp (if it exists) and NAME.h of the calling
# folder to the library.
function(dragoman_sources side)
  foreach(name IN LISTS ARGN)
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${name}.cpp)
      target_sources(dragoman_${side} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/${name}.cpp)
    endif()
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${name}.h)
      target_sources(dragoman_${side} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/lib
        FILES ${CMAKE_CURRENT_SOURCE_DIR}/${name}.h)
    endif()
  endforeach()
endfunction()
