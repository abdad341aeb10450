#include "base/arena.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace kullback {

void* Arena::allocate(std::size_t bytes, std::size_t alignment) {
  const auto address = reinterpret_cast<std::uintptr_t>(next_);
  const std::size_t padding = (alignment - address % alignment) % alignment;
  if (next_ == nullptr || padding + bytes > left_) {
    const std::size_t size = std::max(kBlock, bytes);  // new[] aligns for any node
    blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(size));
    next_ = blocks_.back().get() + bytes;
    left_ = size - bytes;
    return blocks_.back().get();
  }
  std::byte* result = next_ + padding;
  next_ = result + bytes;
  left_ -= padding + bytes;
  return result;
}

std::string_view Arena::copy(std::string_view text) {
  if (text.empty()) return {};
  char* first = static_cast<char*>(allocate(text.size(), 1));
  std::memcpy(first, text.data(), text.size());
  return {first, text.size()};
}

}  // namespace kullback
