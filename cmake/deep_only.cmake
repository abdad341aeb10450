# KULLBACK_DEEP_ONLY: kullback-deep and what it includes, with LibTorch, g++ and CMake alone.
message(FATAL_ERROR "not yet")
