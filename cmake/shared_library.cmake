# The shared library libkullback.so behind kullback.h, the program, and what `cmake --install` puts where. The program is the
# library's kb_main: both together are half as large as two of them would be, and a change is linked once.
# The library exports the functions of the header and nothing else; libstdc++ and libgcc are inside, so that it loads beside any other.
file(STRINGS "${PROJECT_SOURCE_DIR}/src/capi/kullback.h" abi_line REGEX "^#define KB_ABI [0-9]+$")
string(REGEX REPLACE "[^0-9]" "" KULLBACK_ABI "${abi_line}")

add_library(kullback_shared SHARED $<TARGET_OBJECTS:kullback_capi> $<TARGET_OBJECTS:kullback_cli>)
target_link_libraries(kullback_shared PRIVATE kullback_cli)
target_include_directories(kullback_shared INTERFACE
  "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src/capi>" "$<INSTALL_INTERFACE:include>")
set_target_properties(kullback_shared PROPERTIES
  OUTPUT_NAME kullback
  EXPORT_NAME kullback
  LINKER_LANGUAGE CXX
  VERSION "${KULLBACK_ABI}.${PROJECT_VERSION}"
  SOVERSION "${KULLBACK_ABI}"
  LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}"
  PUBLIC_HEADER "${PROJECT_SOURCE_DIR}/src/capi/kullback.h"
  LINK_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/kullback.map")
target_link_options(kullback_shared PRIVATE "-Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/kullback.map"
  -Wl,--exclude-libs,ALL -Wl,--gc-sections)  # without what libstdc++ brings unused, which would need glibc 2.36
if(NOT KULLBACK_SANITIZE)
  target_link_options(kullback_shared PRIVATE -Wl,--no-undefined)  # sanitizers leave theirs to the program
endif()
kullback_link_runtime_statically(kullback_shared)

add_executable(kullback src/cli/main.cpp)
target_include_directories(kullback PRIVATE "${PROJECT_SOURCE_DIR}/src")
target_link_libraries(kullback PRIVATE kullback_shared)
kullback_link_runtime_statically(kullback)
set_target_properties(kullback PROPERTIES
  RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}"
  BUILD_WITH_INSTALL_RPATH ON
  INSTALL_RPATH "$ORIGIN;$ORIGIN/../lib")  # the library is beside it where it is built, in lib/ where it is installed

install(TARGETS kullback RUNTIME DESTINATION bin)
install(TARGETS kullback_shared EXPORT kullback LIBRARY DESTINATION lib PUBLIC_HEADER DESTINATION include)
set(package_folder lib/cmake/kullback)
install(EXPORT kullback FILE kullbackConfig.cmake NAMESPACE kullback:: DESTINATION "${package_folder}")
include(CMakePackageConfigHelpers)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/kullbackConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/kullbackConfigVersion.cmake" DESTINATION "${package_folder}")
configure_file("${PROJECT_SOURCE_DIR}/cmake/kullback.pc.in" "${PROJECT_BINARY_DIR}/kullback.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/kullback.pc" DESTINATION lib/pkgconfig)
