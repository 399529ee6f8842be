# DRAGOMAN_JEMALLOC: whether the program takes its memory from jemalloc. The C library's allocator serves
# too, with more memory (app/memory.h).
set(DRAGOMAN_JEMALLOC OFF)
if(DRAGOMAN_WITH_JEMALLOC STREQUAL AUTO AND CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  message(STATUS "jemalloc: left out, the sanitizer brings an allocator of its own")
elseif(NOT DRAGOMAN_WITH_JEMALLOC STREQUAL OFF)
  find_path(DRAGOMAN_JEMALLOC_INCLUDE jemalloc/jemalloc.h)
  find_library(DRAGOMAN_JEMALLOC_LIBRARY jemalloc)
  mark_as_advanced(DRAGOMAN_JEMALLOC_INCLUDE DRAGOMAN_JEMALLOC_LIBRARY)
  if(DRAGOMAN_JEMALLOC_INCLUDE AND DRAGOMAN_JEMALLOC_LIBRARY)
    set(DRAGOMAN_JEMALLOC ON)
  elseif(NOT DRAGOMAN_WITH_JEMALLOC STREQUAL AUTO)
    message(FATAL_ERROR "jemalloc: not found; install libjemalloc-dev, or configure with "
      "-DDRAGOMAN_WITH_JEMALLOC=OFF")
  endif()
  message(STATUS "jemalloc: ${DRAGOMAN_JEMALLOC}")
endif()
