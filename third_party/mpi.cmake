# DRAGOMAN_MPI: whether training on several machines is built. MPI's own launcher is for the tests.
set(DRAGOMAN_MPI OFF)
if(NOT DRAGOMAN_WITH_MPI STREQUAL OFF)
  find_package(MPI QUIET COMPONENTS C)
  if(MPI_C_FOUND)
    set(DRAGOMAN_MPI ON)
  elseif(NOT DRAGOMAN_WITH_MPI STREQUAL AUTO)
    message(FATAL_ERROR "MPI: not found; install libopenmpi-dev and openmpi-bin (or another MPI with "
      "its mpicc in the PATH), or configure with -DDRAGOMAN_WITH_MPI=OFF")
  endif()
endif()
message(STATUS "MPI: ${DRAGOMAN_MPI}")
