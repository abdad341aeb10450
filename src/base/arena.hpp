// A bump allocator for trees: nodes are trivially destructible, live as long as the arena, never move.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace kullback {

class Arena final {
 public:
  template <class T>
  T* make(T value) {
    static_assert(std::is_trivially_destructible_v<T>, "an arena runs no destructors");
    return ::new (allocate(sizeof(T), alignof(T))) T(std::move(value));
  }

  template <class T>
  std::span<T> copy(const std::vector<T>& values) {
    static_assert(std::is_trivially_destructible_v<T>, "an arena runs no destructors");
    if (values.empty()) return {};
    T* first = static_cast<T*>(allocate(sizeof(T) * values.size(), alignof(T)));
    std::uninitialized_copy(values.begin(), values.end(), first);
    return {first, values.size()};
  }

  std::string_view copy(std::string_view text);

 private:
  static constexpr std::size_t kBlock = 32 * 1024;

  void* allocate(std::size_t bytes, std::size_t alignment);

  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::byte* next_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace kullback
