#include "tape/container_size.hpp"

#include <new>

#include "base/memory.hpp"

namespace kullback::tape {

std::size_t checked_count(const Dims& dims) {
  constexpr std::size_t kSmall = std::size_t{1} << 24;  // not worth asking the system
  const std::size_t count = product(dims);
  if (count <= kSmall) return count;
  if (count >= kConstantBit || count > available_memory() / sizeof(Id)) throw std::bad_alloc();
  return count;
}

}  // namespace kullback::tape
