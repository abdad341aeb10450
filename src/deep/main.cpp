#include "deep/cli/verb.hpp"

int main(int argc, char** argv) { return kullback::deep::cli::main(argc, argv); }
