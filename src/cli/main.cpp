#include "cli/verb.hpp"

int main(int argc, char** argv) { return kullback::cli::main(argc, argv); }
