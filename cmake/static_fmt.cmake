# kullback_fmt: fmt as a static library. Debian ships fmt as a shared library (1 ms of start-up, with the
# shared libstdc++ it brings) and as headers (4 s of compile time in every file that includes it). One file
# compiled from the installed headers has neither cost. If another version of fmt does not compile
# that way, the shared library is used.
find_package(fmt REQUIRED)
set(fmt_source "${PROJECT_SOURCE_DIR}/cmake/static_fmt.cpp")
get_target_property(fmt_include_folders fmt::fmt INTERFACE_INCLUDE_DIRECTORIES)

if(NOT DEFINED KULLBACK_FMT_COMPILES)
  try_compile(KULLBACK_FMT_COMPILES "${PROJECT_BINARY_DIR}/try_fmt" SOURCES "${fmt_source}"
    CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${fmt_include_folders}" CXX_STANDARD 20)
endif()

if(KULLBACK_FMT_COMPILES)
  add_library(kullback_fmt STATIC "${fmt_source}")
  target_compile_definitions(kullback_fmt PRIVATE KULLBACK_FMT_LIBRARY)
  target_compile_options(kullback_fmt PRIVATE -w)
  target_include_directories(kullback_fmt SYSTEM PUBLIC "${fmt_include_folders}")
else()
  add_library(kullback_fmt INTERFACE)
  target_link_libraries(kullback_fmt INTERFACE fmt::fmt)
endif()
