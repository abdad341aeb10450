# kullback_version: the generated header kullback_version.hpp. Outside git the hash is empty.
set(KULLBACK_GIT_HASH "")
find_program(GIT_PROGRAM git)
if(GIT_PROGRAM AND EXISTS "${PROJECT_SOURCE_DIR}/.git")
  execute_process(COMMAND "${GIT_PROGRAM}" rev-parse --short=10 HEAD
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" RESULT_VARIABLE git_failed
    OUTPUT_VARIABLE git_hash OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT git_failed)
    set(KULLBACK_GIT_HASH "${git_hash}")
  endif()
  if(EXISTS "${PROJECT_SOURCE_DIR}/.git/logs/HEAD")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/.git/logs/HEAD")
  endif()
endif()

configure_file("${PROJECT_SOURCE_DIR}/cmake/kullback_version.hpp.in"
  "${PROJECT_BINARY_DIR}/generated/kullback_version.hpp" @ONLY)
add_library(kullback_version INTERFACE)
target_include_directories(kullback_version INTERFACE "${PROJECT_BINARY_DIR}/generated")
