# The program kullback-deep, beside kullback.
if(KULLBACK_HAS_TORCH AND EXISTS "${PROJECT_SOURCE_DIR}/src/deep/main.cpp")
  add_executable(kullback-deep src/deep/main.cpp)
  target_link_libraries(kullback-deep PRIVATE kullback_deep)
  kullback_use(deep kullback_version)
endif()
