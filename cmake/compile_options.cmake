# Flags for every target of this project.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# The same objects make the programs and the shared library, which exports its C functions and nothing else.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

if(NOT CMAKE_BUILD_TYPE AND NOT KULLBACK_SANITIZE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
# Not -O0: there fmt sets the level by a pragma, and g++ 12 leaves it set behind a precompiled header.
set(CMAKE_CXX_FLAGS_DEBUG "-Og -g -D_GLIBCXX_ASSERTIONS")

# Where ccache is installed, a file is compiled once for all clones on a machine.
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${PROJECT_SOURCE_DIR}/cmake/with_ccache.sh" "${CCACHE_PROGRAM}")
endif()

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion)
# Nothing reads errno or the exception flags after arithmetic: square roots are then one instruction, and g++ turns selects
# into vector instructions. Values, NaN and infinities are not touched.
add_compile_options(-fno-math-errno -fno-trapping-math)
# Flags of FAST and COLD modules and of tests, beside those of the build type.
set(kullback_fast)
set(kullback_cold)
set(kullback_test_flags)
if(CMAKE_BUILD_TYPE STREQUAL Release)
  set(kullback_fast -O3)
  set(kullback_test_flags -O1)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-Wno-maybe-uninitialized)  # g++ 12 reports it inside std::shared_ptr and std::optional
  # And these in sums and moves of std::string, at -O3 or behind a precompiled header; the address sanitizer sees real ones.
  add_compile_options(-Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
endif()
if(KULLBACK_WERROR)
  add_compile_options(-Werror)
endif()

if(KULLBACK_SANITIZE)
  # Without debug information: it takes a sixth of the compile time. -DCMAKE_CXX_FLAGS=-g1 adds lines to reports.
  # Without the checks of each pointer that another finds too (null, size: the address sanitizer; alignment: the processor,
  # where it matters) and of dynamic types: they take a third of it.
  add_compile_options(-O1 -fno-omit-frame-pointer -D_GLIBCXX_ASSERTIONS
    -fsanitize=${KULLBACK_SANITIZE} -fno-sanitize=null,alignment,object-size,vptr -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${KULLBACK_SANITIZE})
  if(NOT KULLBACK_FUZZ)
    set(kullback_cold -Og)  # as cheap to compile as -O0
    set(kullback_test_flags -Og)
  endif()
endif()

# Loading libstdc++ and libgcc as shared libraries takes half of the start-up time of the program.
# libc stays shared: optional libraries (netCDF, MPI, compiled models) are opened at run time.
function(kullback_link_runtime_statically target)
  if(NOT KULLBACK_SANITIZE)
    target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc)
  endif()
endfunction()
