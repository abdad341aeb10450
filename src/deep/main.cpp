#include <malloc.h>

#include <climits>

#include "deep/cli/verb.hpp"

namespace {

// Tensors of a step are freed and asked for again in the next one. By default the C library hands large
// pieces back to the system each time, and the system clears each page that it gives: a third of the time of
// small convolutional networks. Kept pieces are reused.
void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();
  return kullback::deep::cli::main(argc, argv);
}
