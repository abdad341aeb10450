// The program is in the library: src/cli/main.cpp only calls it, so that the code is on disk once.
#include "capi/kullback.h"
#include "cli/verb.hpp"

int kb_main(int argc, char** argv) { return kullback::cli::main(argc, argv); }
