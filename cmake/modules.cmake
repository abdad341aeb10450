# The precompiled headers of all modules, one for each level of optimisation: g++ 12 takes a header that was compiled
# with other flags of code generation without a word, and then fails inside. They are named without the clone's folder, so that
# another clone finds them, and all that includes them, in the compiler's cache.
file(WRITE "${PROJECT_BINARY_DIR}/generated/precompiled.cpp" "// Only its precompiled header is used.\n")
foreach(target IN ITEMS kullback_precompiled kullback_precompiled_fast)
  add_library(${target} OBJECT "${PROJECT_BINARY_DIR}/generated/precompiled.cpp")
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/cmake/precompiled")
  target_precompile_headers(${target} PRIVATE <kullback_precompiled.hpp>)
  target_link_libraries(${target} PRIVATE kullback_fmt)
endforeach()
target_compile_options(kullback_precompiled_fast PRIVATE ${kullback_fast})

# kullback_module(name [FAST] [PRECOMPILE header...] [DEPENDS module...])
# Makes the library kullback_<name> from all of src/<name>, linked to base and to the modules named.
# FAST: with -O3 (loops of unknown length and dot products in vector registers).
# PRECOMPILE: with a precompiled header of its own, of these headers and those that all modules share.
# A folder that does not exist yet, or holds only headers, gives a library without a file, which still
# hands on what it depends on; the globs notice when that changes.
# cli/main.cpp and deep/main.cpp stay out: they are the programs, the rest is a library that tests can link;
# capi/bridge too: it is a shared library of its own.
function(kullback_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "FAST" "" "PRECOMPILE;DEPENDS")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${name}/*.cpp")
  list(REMOVE_ITEM sources "${PROJECT_SOURCE_DIR}/src/cli/main.cpp" "${PROJECT_SOURCE_DIR}/src/deep/main.cpp")
  list(FILTER sources EXCLUDE REGEX "/src/capi/bridge/")

  set(target kullback_${name})
  set(scope INTERFACE)
  if(sources)
    set(scope PUBLIC)
    add_library(${target} STATIC ${sources})
    set(shared_header kullback_precompiled)
    if(arg_FAST)
      target_compile_options(${target} PRIVATE ${kullback_fast})
      set(shared_header kullback_precompiled_fast)
    endif()
    if(arg_PRECOMPILE)
      target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/cmake/precompiled")
      target_precompile_headers(${target} PRIVATE <kullback_precompiled.hpp> ${arg_PRECOMPILE})
    else()
      target_precompile_headers(${target} REUSE_FROM ${shared_header})
    endif()
  else()
    add_library(${target} INTERFACE)
  endif()
  target_include_directories(${target} ${scope} "${PROJECT_SOURCE_DIR}/src")

  set(right_of_arrow ${arg_DEPENDS})
  if(name STREQUAL base)
    list(APPEND right_of_arrow fmt)  # which all modules write text with
  else()
    list(APPEND right_of_arrow base)
  endif()
  list(TRANSFORM right_of_arrow PREPEND kullback_)
  target_link_libraries(${target} ${scope} ${right_of_arrow})
  set_property(GLOBAL APPEND PROPERTY kullback_modules ${name})
endfunction()

# kullback_torch_module(name [DEPENDS module...]): the same for a module that needs LibTorch, which may be missing; with
# one precompiled header, as LibTorch's take 8 s. deep/main.cpp is the program kullback-deep.
function(kullback_torch_module name)
  if(NOT KULLBACK_HAS_TORCH)
    return()
  endif()
  kullback_module(${name} PRECOMPILE <torch/types.h> ${ARGN})
  set_property(GLOBAL APPEND PROPERTY kullback_torch_modules ${name})
  get_target_property(type kullback_${name} TYPE)
  if(type STREQUAL INTERFACE_LIBRARY)
    target_link_libraries(kullback_${name} INTERFACE kullback_torch)
  else()
    target_link_libraries(kullback_${name} PUBLIC kullback_torch)
  endif()
  if(name STREQUAL dist)  # forty short files: together they take 17 s, one by one minutes
    set_target_properties(kullback_dist PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
  endif()
endfunction()

# kullback_use(module library...): links outside libraries to a module; no public header of ours shows them.
function(kullback_use module)
  get_target_property(type kullback_${module} TYPE)
  if(type STREQUAL INTERFACE_LIBRARY)
    target_link_libraries(kullback_${module} INTERFACE ${ARGN})
  else()
    target_link_libraries(kullback_${module} PRIVATE ${ARGN})
  endif()
endfunction()

# The libraries of all modules without LibTorch, for harnesses and benchmarks.
function(kullback_all_modules result)
  get_property(names GLOBAL PROPERTY kullback_modules)
  get_property(torch_names GLOBAL PROPERTY kullback_torch_modules)
  list(REMOVE_ITEM names ${torch_names})
  list(TRANSFORM names PREPEND kullback_)
  set(${result} ${names} PARENT_SCOPE)
endfunction()
