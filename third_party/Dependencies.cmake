# Each dependency: what is installed is used; what is missing is fetched as Versions.cmake says, or
# the message says exactly what to install. LibTorch is only found, never built.
include(${CMAKE_CURRENT_LIST_DIR}/Versions.cmake)
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})
include(${CMAKE_CURRENT_LIST_DIR}/jemalloc.cmake)

find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(nlohmann_json 3.10 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
if(DRAGOMAN_BUILD_TESTS)
  find_package(Catch2 REQUIRED)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/sentencepiece.cmake)
if(DRAGOMAN_WITH_TORCH)
  include(${CMAKE_CURRENT_LIST_DIR}/torch.cmake)
  include(${CMAKE_CURRENT_LIST_DIR}/mpi.cmake)
  include(${CMAKE_CURRENT_LIST_DIR}/nccl.cmake)
endif()
