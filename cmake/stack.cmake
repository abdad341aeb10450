# What every build needs beside the compiler: fmt, CLI11 and zlib, found where they are installed or in a folder of CMAKE_PREFIX_PATH;
# tools/collect_stack.sh makes one for machines where nothing can be installed. The folders of CMAKE_PREFIX_PATH come first.
include(static_fmt)

find_path(KULLBACK_CLI11_INCLUDE CLI/CLI.hpp REQUIRED)
add_library(kullback_cli11 INTERFACE)
target_include_directories(kullback_cli11 SYSTEM INTERFACE "${KULLBACK_CLI11_INCLUDE}")

find_path(KULLBACK_ZLIB_INCLUDE zlib.h REQUIRED)
find_library(ZLIB_STATIC_LIBRARY NAMES libz.a z REQUIRED)  # the archive where there is one: programs then need nothing but glibc
add_library(kullback_zlib INTERFACE)
target_include_directories(kullback_zlib SYSTEM INTERFACE "${KULLBACK_ZLIB_INCLUDE}")
target_link_libraries(kullback_zlib INTERFACE "${ZLIB_STATIC_LIBRARY}")
