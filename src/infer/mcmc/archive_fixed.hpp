// Vectors whose size the algorithm knows: numbers of another algorithm must not change it.
#pragma once

#include <vector>

#include "infer/archive.hpp"

namespace kullback::infer {

inline void archive_fixed(Archive& archive, std::vector<double>& numbers) {
  const std::size_t size = numbers.size();
  archive.value(numbers);
  numbers.resize(size);
}

}  // namespace kullback::infer
