#include "capi/kullback.h"

int main(int argc, char** argv) { return kb_main(argc, argv); }
