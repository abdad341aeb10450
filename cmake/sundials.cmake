# kullback_sundials: the static archives of SUNDIALS that the solvers need. Each holds its own copy of the serial
# vectors and dense matrices, so nothing else is linked; the shared libraries and SUNDIALS' own package file
# would bring MPI, PETSc and OpenMP. Debian compiles SUNDIALS without optimisation; a build of one's own with it is
# found through CMAKE_PREFIX_PATH.
find_path(SUNDIALS_INCLUDE_DIR cvodes/cvodes.h REQUIRED)
add_library(kullback_sundials INTERFACE)
target_include_directories(kullback_sundials SYSTEM INTERFACE "${SUNDIALS_INCLUDE_DIR}")
foreach(name cvodes idas kinsol)
  find_library(SUNDIALS_${name}_LIBRARY libsundials_${name}.a REQUIRED)
  target_link_libraries(kullback_sundials INTERFACE "${SUNDIALS_${name}_LIBRARY}")
endforeach()
