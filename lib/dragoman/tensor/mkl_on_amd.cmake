# mkl_on_amd.cpp answers a question of LibTorch's MKL; here is asked whether this LibTorch has it.
# What links dragoman::torch must show the answer in its dynamic symbol table, else nobody finds it.
set(DRAGOMAN_MKL_SYMBOL mkl_serv_intel_cpu_true)
if(DRAGOMAN_MKL_ON_AMD AND NOT DEFINED DRAGOMAN_TORCH_HAS_MKL_SYMBOL)
  set(found FALSE)
  if(TARGET torch_cpu AND CMAKE_NM)
    get_target_property(torch_cpu_library torch_cpu IMPORTED_LOCATION_RELEASE)
    if(NOT torch_cpu_library)
      get_target_property(torch_cpu_library torch_cpu IMPORTED_LOCATION)
    endif()
    execute_process(COMMAND ${CMAKE_NM} -D --defined-only ${torch_cpu_library}
      COMMAND grep -c " T ${DRAGOMAN_MKL_SYMBOL}$"
      OUTPUT_QUIET ERROR_QUIET RESULTS_VARIABLE results)
    list(GET results 0 failed)
    list(GET results 1 missing)
    if(NOT failed EQUAL 0)
      message(WARNING "${CMAKE_NM} cannot read ${torch_cpu_library}: whether MKL is slow on AMD is unknown")
      set(found UNKNOWN)
    elseif(missing EQUAL 0)
      set(found TRUE)
    endif()
  endif()
  if(NOT found STREQUAL UNKNOWN)
    set(DRAGOMAN_TORCH_HAS_MKL_SYMBOL ${found} CACHE BOOL "LibTorch's MKL asks ${DRAGOMAN_MKL_SYMBOL}")
    mark_as_advanced(DRAGOMAN_TORCH_HAS_MKL_SYMBOL)
    message(STATUS "LibTorch's MKL asks ${DRAGOMAN_MKL_SYMBOL}: ${found}")
  endif()
endif()

if(DRAGOMAN_MKL_ON_AMD AND DRAGOMAN_TORCH_HAS_MKL_SYMBOL)
  set_property(SOURCE mkl_on_amd.cpp TARGET_DIRECTORY dragoman_torch APPEND PROPERTY
    COMPILE_DEFINITIONS DRAGOMAN_MKL_ON_AMD)
  target_link_options(dragoman_torch INTERFACE
    LINKER:--undefined=${DRAGOMAN_MKL_SYMBOL},--export-dynamic-symbol=${DRAGOMAN_MKL_SYMBOL})
endif()
