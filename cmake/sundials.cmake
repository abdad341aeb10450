# kullback_sundials: the solvers CVODES, IDAS and KINSOL, as static libraries. Debian compiles SUNDIALS without optimisation, which
# halves the speed of differential equations; so the files that our solvers call are compiled here from the sources that
# tools/sundials_source.sh fetches. Where they cannot be fetched, or KULLBACK_SUNDIALS_SOURCE is OFF, the installed archives are
# linked, or those of a folder that CMAKE_PREFIX_PATH names. Each of these holds its own copy of the serial vectors and dense matrices,
# so nothing else is linked; the shared libraries and SUNDIALS' own package file would bring MPI, PETSc and OpenMP.
if(NOT DEFINED KULLBACK_SUNDIALS_SOURCE)
  execute_process(COMMAND "${PROJECT_SOURCE_DIR}/tools/sundials_source.sh"
    OUTPUT_VARIABLE archive OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_VARIABLE reason ERROR_STRIP_TRAILING_WHITESPACE)
  if(archive)
    set(parts cvodes idas kinsol nvector/serial sunmatrix/dense sunmatrix/band sunlinsol/dense sunnonlinsol/newton sundials)
    list(TRANSFORM parts REPLACE "(.+)" "*/src/\\1/*")
    file(ARCHIVE_EXTRACT INPUT "${archive}" DESTINATION "${PROJECT_BINARY_DIR}" PATTERNS "*/LICENSE" "*/include/*" ${parts})
    set(archive "${PROJECT_BINARY_DIR}/sundials-6.4.1")
  else()
    message(STATUS "${reason}")
  endif()
  if(archive)  # another build folder, or this one when it is configured again, tries again where there was no network
    set(KULLBACK_SUNDIALS_SOURCE "${archive}" CACHE PATH "Sources of SUNDIALS; OFF: the installed archives")
  endif()
endif()

if(NOT KULLBACK_SUNDIALS_SOURCE)
  find_path(SUNDIALS_INCLUDE_DIR cvodes/cvodes.h REQUIRED)
  add_library(kullback_sundials INTERFACE)
  target_include_directories(kullback_sundials SYSTEM INTERFACE "${SUNDIALS_INCLUDE_DIR}")
  foreach(name cvodes idas kinsol)
    find_library(SUNDIALS_${name}_LIBRARY libsundials_${name}.a REQUIRED)
    target_link_libraries(kullback_sundials INTERFACE "${SUNDIALS_${name}_LIBRARY}")
  endforeach()
  message(STATUS "SUNDIALS: ${SUNDIALS_cvodes_LIBRARY}; Debian's takes twice the time for differential equations")
  return()
endif()

enable_language(C)
set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
set(sundials_files
  cvodes/cvodea.c cvodes/cvodea_io.c cvodes/cvodes.c cvodes/cvodes_io.c cvodes/cvodes_ls.c cvodes/cvodes_nls.c
  cvodes/cvodes_nls_sim.c cvodes/cvodes_nls_stg.c cvodes/cvodes_nls_stg1.c cvodes/cvodes_proj.c
  idas/idaa.c idas/idaa_io.c idas/idas.c idas/idas_ic.c idas/idas_io.c idas/idas_ls.c idas/idas_nls.c idas/idas_nls_sim.c
  idas/idas_nls_stg.c
  kinsol/kinsol.c kinsol/kinsol_io.c kinsol/kinsol_ls.c
  nvector/serial/nvector_serial.c sunlinsol/dense/sunlinsol_dense.c sunmatrix/band/sunmatrix_band.c
  sunmatrix/dense/sunmatrix_dense.c sunnonlinsol/newton/sunnonlinsol_newton.c
  sundials/sundials_band.c sundials/sundials_context.c sundials/sundials_dense.c sundials/sundials_direct.c
  sundials/sundials_iterative.c sundials/sundials_linearsolver.c sundials/sundials_logger.c sundials/sundials_math.c
  sundials/sundials_matrix.c sundials/sundials_memory.c sundials/sundials_nonlinearsolver.c
  sundials/sundials_nvector.c sundials/sundials_nvector_senswrapper.c)
list(TRANSFORM sundials_files PREPEND "${KULLBACK_SUNDIALS_SOURCE}/src/")

# What SUNDIALS' own build would find out, for sundials_config.in: double precision, 64-bit indices, nothing optional.
set(PRECISION_LEVEL "#define SUNDIALS_DOUBLE_PRECISION 1")
set(INDEX_TYPE "#define SUNDIALS_INT64_T 1")
set(SUNDIALS_CINDEX_TYPE int64_t)
set(SUNDIALS_DEPRECATED_MSG_MACRO "__attribute__((__deprecated__(msg)))")
set(SUNDIALS_C_COMPILER_HAS_MATH_PRECISIONS ON)
set(SUNDIALS_C_COMPILER_HAS_ISINF_ISNAN ON)
set(SUNDIALS_C_COMPILER_HAS_INLINE ON)
set(SUNDIALS_C_COMPILER_HAS_SNPRINTF_AND_VA_COPY ON)
set(SUNDIALS_HAVE_POSIX_TIMERS ON)
set(SUNDIALS_LOGGING_LEVEL 0)
set(PACKAGE_VERSION 6.4.1)
set(PACKAGE_VERSION_MAJOR 6)
set(PACKAGE_VERSION_MINOR 4)
set(PACKAGE_VERSION_PATCH 1)
set(sundials_headers "${PROJECT_BINARY_DIR}/generated/sundials_headers")
configure_file("${KULLBACK_SUNDIALS_SOURCE}/include/sundials/sundials_config.in" "${sundials_headers}/sundials/sundials_config.h")
file(CONFIGURE OUTPUT "${sundials_headers}/sundials/sundials_export.h" CONTENT
  "#define SUNDIALS_EXPORT\n#define SUNDIALS_NO_EXPORT\n#define SUNDIALS_DEPRECATED_EXPORT\n")

add_library(kullback_sundials STATIC ${sundials_files})
target_include_directories(kullback_sundials PRIVATE
  "${sundials_headers}" "${KULLBACK_SUNDIALS_SOURCE}/include" "${KULLBACK_SUNDIALS_SOURCE}/src/sundials")
# Flags of its own in every preset: our warnings and sanitizers are for our code. None of them changes arithmetic.
set_target_properties(kullback_sundials PROPERTIES COMPILE_OPTIONS "-O2;-DNDEBUG;-w;-fno-math-errno" C_VISIBILITY_PRESET hidden)
target_link_libraries(kullback_sundials PUBLIC m)

# Only the files that call SUNDIALS get its headers; the others stay in the compiler's cache whatever becomes of it.
set(kullback_sundials_flags "-isystem${sundials_headers}" "-isystem${KULLBACK_SUNDIALS_SOURCE}/include")
file(GLOB solver_files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/math/solvers/*.cpp")
set_property(SOURCE ${solver_files} APPEND PROPERTY COMPILE_OPTIONS ${kullback_sundials_flags})
message(STATUS "SUNDIALS: compiled from ${KULLBACK_SUNDIALS_SOURCE}")
