# LibTorch: only found, never built. Sets TORCH_LIBRARIES, TORCH_INCLUDE_DIRS, DRAGOMAN_CUDA and
# dragoman_torch_version; if none suits, dragoman_torch_fault says why, and is empty otherwise.
#
# LibTorch's own configuration of a CUDA build insists on the whole CUDA toolkit with its compiler,
# which pip's torch does not bring. This program has no code for that compiler: of such a build the
# libraries are linked as they are, with or without a toolkit on the computer; with DRAGOMAN_WITH_CUDA=OFF
# those for the CPU alone.
if(Torch_DIR AND NOT EXISTS ${Torch_DIR}/TorchConfig.cmake)
  unset(Torch_DIR CACHE)  # it was removed since
endif()
find_path(Torch_DIR TorchConfig.cmake HINTS ${Torch_ROOT} $ENV{Torch_ROOT}
  PATH_SUFFIXES Torch share/cmake/Torch DOC "Folder of LibTorch's TorchConfig.cmake")
cmake_path(SET torch_folder NORMALIZE "${Torch_DIR}/../../..")
# What was found beside another LibTorch before.
if(NOT "${Torch_DIR}" STREQUAL "${dragoman_torch_before}")
  if(dragoman_torch_before)
    foreach(name Caffe2_DIR TORCH_LIBRARY c10_LIBRARY kineto_LIBRARY DRAGOMAN_TORCH_HAS_MKL_SYMBOL)
      unset(${name} CACHE)
    endforeach()
  endif()
  set(dragoman_torch_before "${Torch_DIR}" CACHE INTERNAL "")
endif()

# dragoman_torch_suits(RESULT): whether the LibTorch that was found is new enough; sets dragoman_torch_version.
function(dragoman_torch_suits result)
  set(PACKAGE_FIND_VERSION ${DRAGOMAN_TORCH_MINIMUM})
  include(${Torch_DIR}/TorchConfigVersion.cmake)
  set(${result} ${PACKAGE_VERSION_COMPATIBLE} PARENT_SCOPE)
  set(dragoman_torch_version ${PACKAGE_VERSION} PARENT_SCOPE)
endfunction()

# dragoman_import_torch(NAMES...): these libraries of LibTorch as targets, unless the build has them.
function(dragoman_import_torch)
  foreach(name IN LISTS ARGN)
    if(NOT TARGET ${name})
      add_library(${name} SHARED IMPORTED GLOBAL)
      set_target_properties(${name} PROPERTIES IMPORTED_LOCATION ${torch_folder}/lib/lib${name}.so)
    endif()
  endforeach()
endfunction()

# The libraries of a CUDA build as a target. None of torch_cuda's functions is called by name: it
# registers itself when it is loaded, so that the linker must not leave it out. Its libtorch.so has
# parts of std::filesystem, which crash where they are found before those of libstdc++.
function(dragoman_link_cuda_torch)
  set(libraries ${torch_folder}/lib)
  dragoman_import_torch(${dragoman_torch_parts})
  add_library(dragoman_cuda_torch INTERFACE)
  target_link_libraries(dragoman_cuda_torch INTERFACE
    "-Wl,--push-state,--no-as-needed,-lstdc++,${libraries}/libtorch.so,${libraries}/libtorch_cuda.so,--pop-state"
    torch torch_cpu torch_cuda c10_cuda c10)
endfunction()

# What computes on the CPU in a CUDA build. It loads libraries of NVIDIA too, which the linker looks for.
function(dragoman_link_cpu_of_cuda_torch)
  dragoman_import_torch(${dragoman_torch_parts})
  file(GLOB beside_torch LIST_DIRECTORIES ON ${torch_folder}/../nvidia/*/lib)
  list(TRANSFORM beside_torch PREPEND "-Wl,-rpath-link,")
  add_library(dragoman_cuda_torch INTERFACE)
  target_link_libraries(dragoman_cuda_torch INTERFACE torch_cpu c10 ${beside_torch})
endfunction()

set(DRAGOMAN_CUDA OFF)
set(dragoman_torch_fault "")
set(dragoman_torch_found "${Torch_DIR}")  # find_package forgets one that is too old
set(dragoman_torch_is_new FALSE)
if(Torch_DIR AND EXISTS ${Torch_DIR}/TorchConfigVersion.cmake)
  dragoman_torch_suits(dragoman_torch_is_new)
endif()
set(Torch_FOUND ${dragoman_torch_is_new})
if(Torch_DIR AND EXISTS ${torch_folder}/lib/libtorch_cuda.so)
  if(Torch_FOUND AND NOT DRAGOMAN_WITH_CUDA STREQUAL OFF)
    set(DRAGOMAN_CUDA ON)
  endif()
  set(dragoman_torch_parts c10 torch_cpu)
  if(DRAGOMAN_CUDA)
    set(dragoman_torch_parts c10 c10_cuda torch_cpu torch_cuda torch)
  endif()
  foreach(part IN LISTS dragoman_torch_parts)
    if(NOT EXISTS ${torch_folder}/lib/lib${part}.so)
      set(dragoman_torch_fault "${torch_folder}/lib/lib${part}.so is missing; install LibTorch again")
    endif()
  endforeach()
  if(Torch_FOUND AND NOT dragoman_torch_fault AND NOT TARGET dragoman_cuda_torch)
    if(DRAGOMAN_CUDA)
      dragoman_link_cuda_torch()
    else()
      dragoman_link_cpu_of_cuda_torch()
    endif()
  endif()
  set(TORCH_LIBRARIES dragoman_cuda_torch)
  set(TORCH_INCLUDE_DIRS ${torch_folder}/include ${torch_folder}/include/torch/csrc/api/include)
elseif(Torch_FOUND)
  find_package(Torch ${DRAGOMAN_TORCH_MINIMUM} QUIET)
endif()
if(dragoman_torch_found AND NOT dragoman_torch_is_new)
  set(dragoman_torch_fault "LibTorch ${DRAGOMAN_TORCH_MINIMUM} or newer is needed, but the one in \
${dragoman_torch_found} is ${dragoman_torch_version}; configure with -DCMAKE_PREFIX_PATH=FOLDER of a newer one")
elseif(NOT Torch_FOUND)
  set(dragoman_torch_fault
    "LibTorch ${DRAGOMAN_TORCH_MINIMUM} or newer: not found; configure with \
-DCMAKE_PREFIX_PATH=FOLDER, where FOLDER is the unpacked LibTorch archive, or what \
`python3 -c 'import torch; print(torch.utils.cmake_prefix_path)'` prints for an installed torch")
elseif(DRAGOMAN_WITH_CUDA STREQUAL ON AND NOT DRAGOMAN_CUDA)
  set(dragoman_torch_fault "DRAGOMAN_WITH_CUDA=ON: the LibTorch in ${Torch_DIR} is built for CPUs alone; \
configure with -DCMAKE_PREFIX_PATH=FOLDER of a CUDA build, or without this option")
endif()
if(NOT dragoman_torch_fault AND NOT dragoman_FIND_QUIETLY)
  message(STATUS "CUDA: ${DRAGOMAN_CUDA}")
endif()
