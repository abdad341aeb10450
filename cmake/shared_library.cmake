# The shared library libkullback.so behind kullback.h, and what `cmake --install` puts where.
# It exports the functions of the header and nothing else; libstdc++ and libgcc are inside, so that it loads beside any other.
file(STRINGS "${PROJECT_SOURCE_DIR}/src/capi/kullback.h" abi_line REGEX "^#define KB_ABI [0-9]+$")
string(REGEX REPLACE "[^0-9]" "" KULLBACK_ABI "${abi_line}")

add_library(kullback_shared SHARED $<TARGET_OBJECTS:kullback_capi>)
target_link_libraries(kullback_shared PRIVATE kullback_capi)
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
  -Wl,--exclude-libs,ALL)
if(NOT KULLBACK_SANITIZE)
  target_link_options(kullback_shared PRIVATE -Wl,--no-undefined)  # sanitizers leave theirs to the program
endif()
kullback_link_runtime_statically(kullback_shared)

install(TARGETS kullback RUNTIME DESTINATION bin)
install(TARGETS kullback_shared EXPORT kullback LIBRARY DESTINATION lib PUBLIC_HEADER DESTINATION include)
set(package_folder lib/cmake/kullback)
install(EXPORT kullback FILE kullbackConfig.cmake NAMESPACE kullback:: DESTINATION "${package_folder}")
include(CMakePackageConfigHelpers)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/kullbackConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/kullbackConfigVersion.cmake" DESTINATION "${package_folder}")
configure_file("${PROJECT_SOURCE_DIR}/cmake/kullback.pc.in" "${PROJECT_BINARY_DIR}/kullback.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/kullback.pc" DESTINATION lib/pkgconfig)
