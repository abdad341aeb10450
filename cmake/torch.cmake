# LibTorch, for the modules dist and deep. KULLBACK_DEEP is ON, OFF or AUTO (where LibTorch is installed).
# kullback_torch: its libraries, with its headers as system headers.
set(KULLBACK_DEEP AUTO CACHE STRING "Build kullback-deep: ON, OFF, or AUTO (where LibTorch is installed)")
set(KULLBACK_HAS_TORCH OFF)
if(KULLBACK_DEEP STREQUAL OFF)
  return()
endif()

find_package(Torch 1.13 QUIET)
if(NOT TORCH_FOUND)
  if(KULLBACK_DEEP STREQUAL ON)
    message(FATAL_ERROR "KULLBACK_DEEP is ON and LibTorch is not there: install libtorch-dev, or name the folder of "
      "another LibTorch in CMAKE_PREFIX_PATH (python3 -c 'import torch; print(torch.utils.cmake_prefix_path)').")
  endif()
  message(STATUS "LibTorch is not installed: kullback-deep is not built (libtorch-dev brings it)")
  return()
endif()
set(KULLBACK_HAS_TORCH ON)

add_library(kullback_torch INTERFACE)
target_include_directories(kullback_torch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
# LibTorch 2.x exports parts of a libstdc++ of its own, std::filesystem among them (pytorch issue 133437): programs that find
# them first crash where the two differ. So the system's, shared or static, comes before it.
target_link_libraries(kullback_torch INTERFACE stdc++ ${TORCH_LIBRARIES})
separate_arguments(torch_flags UNIX_COMMAND "${TORCH_CXX_FLAGS}")
target_compile_options(kullback_torch INTERFACE ${torch_flags} -Wno-shadow -Wno-pedantic)

if(TARGET torch_cuda)
  target_compile_definitions(kullback_torch INTERFACE KULLBACK_CUDA)  # steps are captured as CUDA graphs
  # Events and streams in LibTorch's headers call CUDA's runtime themselves.
  foreach(runtime IN ITEMS torch::cudart CUDA::cudart)
    if(TARGET ${runtime})
      target_link_libraries(kullback_torch INTERFACE ${runtime})
      break()
    endif()
  endforeach()
  # Sums over GPUs need a LibTorch that was built with NCCL, which says so, and NCCL's header, which Python's packages
  # have beside LibTorch.
  get_target_property(cuda_definitions torch_cuda INTERFACE_COMPILE_DEFINITIONS)
  find_path(KULLBACK_NCCL_INCLUDE nccl.h
    HINTS "${TORCH_INSTALL_PREFIX}/include" "${TORCH_INSTALL_PREFIX}/../nvidia/nccl/include"
          "${CUDAToolkit_INCLUDE_DIRS}" "${CUDA_INCLUDE_DIRS}")
  if("USE_C10D_NCCL" IN_LIST cuda_definitions AND KULLBACK_NCCL_INCLUDE)
    target_compile_definitions(kullback_torch INTERFACE KULLBACK_NCCL)
    target_include_directories(kullback_torch SYSTEM INTERFACE "${KULLBACK_NCCL_INCLUDE}")
    find_library(KULLBACK_NCCL_LIBRARY NAMES nccl libnccl.so.2 HINTS "${KULLBACK_NCCL_INCLUDE}/../lib")
    if(KULLBACK_NCCL_LIBRARY)
      target_link_libraries(kullback_torch INTERFACE "${KULLBACK_NCCL_LIBRARY}")
    endif()
  else()
    message(STATUS "LibTorch was built without NCCL, or nccl.h is not found (KULLBACK_NCCL_INCLUDE): several processes "
      "do not sum gradients on GPUs")
  endif()
endif()

# Debian's LibTorch takes the BLAS that the system's alternatives name. The reference one is 10 to 20 times slower and
# OpenBLAS with threads of its own fights LibTorch's; the OpenMP variant is found first where its folder is in the
# (old) run path, which libraries of libraries look at too.
set(openmp_blas "/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-openmp")
if(EXISTS "${openmp_blas}/libblas.so.3")
  target_link_options(kullback_torch INTERFACE "-Wl,--disable-new-dtags,-rpath,${openmp_blas}")
endif()
