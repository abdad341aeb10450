# kullback_fmt: fmt as a static library. Debian ships fmt as a shared library (1 ms of start-up, with the
# shared libstdc++ it brings) and as headers (4 s of compile time in every file that includes it). One file
# compiled from the installed headers has neither cost. If another version of fmt does not compile
# that way, the shared library is used, or the headers alone where there is none.
find_path(KULLBACK_FMT_INCLUDE fmt/format-inl.h REQUIRED)
set(fmt_source "${PROJECT_SOURCE_DIR}/cmake/static_fmt.cpp")
set(fmt_include "${KULLBACK_FMT_INCLUDE}")

# LibTorch's packages bring headers of another fmt beside their own. A system folder is searched after those; a link to ours is not.
foreach(folder IN LISTS TORCH_INCLUDE_DIRS)
  if(EXISTS "${folder}/fmt/format.h" AND NOT folder STREQUAL KULLBACK_FMT_INCLUDE)
    set(fmt_include "${PROJECT_BINARY_DIR}/generated/fmt")
    file(MAKE_DIRECTORY "${fmt_include}")
    file(CREATE_LINK "${KULLBACK_FMT_INCLUDE}/fmt" "${fmt_include}/fmt" SYMBOLIC)
    break()
  endif()
endforeach()

if(NOT DEFINED KULLBACK_FMT_COMPILES)
  try_compile(KULLBACK_FMT_COMPILES "${PROJECT_BINARY_DIR}/try_fmt" SOURCES "${fmt_source}"
    CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${fmt_include}" CXX_STANDARD 20)
endif()

if(KULLBACK_FMT_COMPILES)
  add_library(kullback_fmt STATIC "${fmt_source}")
  target_compile_definitions(kullback_fmt PRIVATE KULLBACK_FMT_LIBRARY)
  target_compile_options(kullback_fmt PRIVATE -w)
  target_include_directories(kullback_fmt SYSTEM PUBLIC "${fmt_include}")
else()
  add_library(kullback_fmt INTERFACE)
  find_package(fmt QUIET)
  if(fmt_FOUND)
    target_link_libraries(kullback_fmt INTERFACE fmt::fmt)
  else()
    target_include_directories(kullback_fmt SYSTEM INTERFACE "${fmt_include}")
    target_compile_definitions(kullback_fmt INTERFACE FMT_HEADER_ONLY)
  endif()
endif()
