// Not by std::random_device: that of g++ 12 needs glibc 2.36, and the wheel is for 2.35, too.
#include "base/fresh_seed.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/error.hpp"

namespace kullback {

std::uint32_t fresh_seed() {
  std::uint32_t seed = 0;
  if (::getentropy(&seed, sizeof seed) != 0) {
    throw Error(ErrorKind::internal,
                std::string("the system gives no random seed: ") + std::strerror(errno) + ".",
                "Add `--seed 1`.");
  }
  return seed;
}

}  // namespace kullback
