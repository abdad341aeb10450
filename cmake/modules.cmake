# kullback_shared_header(result [flag...]): the target whose precompiled header all modules with these flags share; g++ 12 takes
# a header that was compiled with other flags of code generation without a word, and then fails inside. Its folder is named
# without the clone's, so that another clone finds it, and all that includes it, in the compiler's cache.
file(WRITE "${PROJECT_BINARY_DIR}/generated/precompiled.cpp" "// Only its precompiled header is used.\n")
function(kullback_shared_header result)
  string(CONCAT target kullback_precompiled ${ARGN})
  if(NOT TARGET ${target})
    add_library(${target} OBJECT "${PROJECT_BINARY_DIR}/generated/precompiled.cpp")
    target_compile_options(${target} PRIVATE ${ARGN})
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/cmake/precompiled")
    target_precompile_headers(${target} PRIVATE <kullback_precompiled.hpp>)
    target_link_libraries(${target} PRIVATE kullback_fmt)
  endif()
  set(${result} ${target} PARENT_SCOPE)
endfunction()

# kullback_group(target): in builds with sanitizers the files of a target are compiled in groups, in a third of the time.
# Release builds compile them one by one, so that a change to one file is built at once.
find_package(Python3 QUIET COMPONENTS Interpreter)
function(kullback_group target)
  if(NOT KULLBACK_SANITIZE OR NOT Python3_Interpreter_FOUND)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  execute_process(COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tools/unity_groups.py" ${sources}
    OUTPUT_VARIABLE lines OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" lines "${lines}")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "^([0-9]+) (.*)$" match "${line}")
    set_source_files_properties("${CMAKE_MATCH_2}" PROPERTIES UNITY_GROUP ${CMAKE_MATCH_1})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# kullback_module(name [FAST | COLD] [PRECOMPILE header... | PRECOMPILED_BY module] [DEPENDS module...])
# Makes the library kullback_<name> from all of src/<name>, linked to base and to the modules named.
# FAST: with -O3 (loops of unknown length and dot products in vector registers).
# COLD: not optimised in builds with sanitizers: it computes little, or LibTorch computes for it.
# PRECOMPILE: with a precompiled header of its own, of these headers and those that all modules share; PRECOMPILED_BY: with that
# of another module.
# A folder that does not exist yet, or holds only headers, gives a library without a file, which still
# hands on what it depends on; the globs notice when that changes.
# cli/main.cpp and deep/main.cpp stay out: they are the programs, the rest is a library that tests can link;
# capi/bridge too: it is a shared library of its own.
function(kullback_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "FAST;COLD" "PRECOMPILED_BY" "PRECOMPILE;DEPENDS")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${name}/*.cpp")
  list(REMOVE_ITEM sources "${PROJECT_SOURCE_DIR}/src/cli/main.cpp" "${PROJECT_SOURCE_DIR}/src/deep/main.cpp")
  list(FILTER sources EXCLUDE REGEX "/src/capi/bridge/")

  set(target kullback_${name})
  set(scope INTERFACE)
  if(sources)
    set(scope PUBLIC)
    add_library(${target} STATIC ${sources})
    set(flags)
    if(arg_FAST)
      set(flags ${kullback_fast})
    elseif(arg_COLD)
      set(flags ${kullback_cold})
    endif()
    target_compile_options(${target} PRIVATE ${flags})
    if(arg_PRECOMPILE)
      target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/cmake/precompiled")
      target_precompile_headers(${target} PRIVATE <kullback_precompiled.hpp> ${arg_PRECOMPILE})
    elseif(arg_PRECOMPILED_BY)
      target_precompile_headers(${target} REUSE_FROM kullback_${arg_PRECOMPILED_BY})
    else()
      kullback_shared_header(shared_header ${flags})
      target_precompile_headers(${target} REUSE_FROM ${shared_header})
    endif()
    kullback_group(${target})
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
  if(TARGET kullback_dist)
    kullback_module(${name} COLD PRECOMPILED_BY dist ${ARGN})
  else()
    kullback_module(${name} COLD PRECOMPILE <torch/types.h> ${ARGN})
  endif()
  set_property(GLOBAL APPEND PROPERTY kullback_torch_modules ${name})
  get_target_property(type kullback_${name} TYPE)
  if(type STREQUAL INTERFACE_LIBRARY)
    target_link_libraries(kullback_${name} INTERFACE kullback_torch)
  else()
    target_link_libraries(kullback_${name} PUBLIC kullback_torch)
  endif()
  if(name STREQUAL dist AND NOT KULLBACK_SANITIZE)  # forty short files: together they take 17 s, one by one minutes
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
