# kullback-bridge.so, beside kullback: the library of which `kullback bridge` writes copies with a program inside. It has
# BridgeStan's functions and shows nothing else, whatever else is loaded beside it.
file(GLOB bridge_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/capi/bridge/*.cpp")
add_library(kullback_bridge_stub MODULE ${bridge_sources})
target_link_libraries(kullback_bridge_stub PRIVATE kullback_model kullback_version ${CMAKE_DL_LIBS})
target_link_options(kullback_bridge_stub PRIVATE "-Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/bridge.map"
  -Wl,--exclude-libs,ALL -Wl,--gc-sections
  $<$<CONFIG:Release>:-s>)  # it is copied for each program: no symbols for debuggers
kullback_link_runtime_statically(kullback_bridge_stub)
set_target_properties(kullback_bridge_stub PROPERTIES PREFIX "" OUTPUT_NAME kullback-bridge SUFFIX .so
  LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}" LINK_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/bridge.map")
install(TARGETS kullback_bridge_stub LIBRARY DESTINATION lib/kullback)
if(TARGET kullback)
  add_dependencies(kullback kullback_bridge_stub)
endif()
