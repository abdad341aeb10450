#include "tape/record/container_size.hpp"

#include <new>

#include "base/memory.hpp"

namespace kullback::tape {

std::size_t checked_count(const Dims& dims) {
  constexpr std::size_t kSmall = std::size_t{1} << 24;  // not worth asking the system
  const std::size_t count = product(dims);
  if (count <= kSmall) return count;
  // The ids of what is declared and of what it is given, and the numbers.
  constexpr std::size_t kBytes = 2 * sizeof(Id) + sizeof(double);
  if (count >= kConstantBit || count > available_memory() / kBytes) throw std::bad_alloc();
  return count;
}

}  // namespace kullback::tape
