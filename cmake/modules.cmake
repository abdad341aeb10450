# kullback_module(name [DEPENDS module...])
# Makes the library kullback_<name> from all of src/<name>, linked to base and to the modules named.
# A folder that does not exist yet, or holds only headers, gives a library without a file, which still
# hands on what it depends on; the globs notice when that changes.
# cli/main.cpp stays out: it is the program, the rest of cli is a library that tests can link.
function(kullback_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEPENDS")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${name}/*.cpp")
  list(REMOVE_ITEM sources "${PROJECT_SOURCE_DIR}/src/cli/main.cpp")

  set(target kullback_${name})
  set(scope INTERFACE)
  if(sources)
    set(scope PUBLIC)
    add_library(${target} STATIC ${sources})
  else()
    add_library(${target} INTERFACE)
  endif()
  target_include_directories(${target} ${scope} "${PROJECT_SOURCE_DIR}/src")

  set(right_of_arrow ${arg_DEPENDS})
  if(NOT name STREQUAL base)
    list(APPEND right_of_arrow base)
  endif()
  list(TRANSFORM right_of_arrow PREPEND kullback_)
  target_link_libraries(${target} ${scope} ${right_of_arrow})
  set_property(GLOBAL APPEND PROPERTY kullback_modules ${name})
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

# The libraries of all modules, for harnesses and benchmarks; deep has programs of its own.
function(kullback_all_modules result)
  get_property(names GLOBAL PROPERTY kullback_modules)
  list(REMOVE_ITEM names deep)
  list(TRANSFORM names PREPEND kullback_)
  set(${result} ${names} PARENT_SCOPE)
endfunction()
