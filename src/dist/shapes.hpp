// Arithmetic of shapes.
#pragma once

#include <torch/types.h>

#include <string>
#include <vector>

namespace kullback::dist {

using at::IntArrayRef;
using Shape = std::vector<int64_t>;

template <class... Shapes>
Shape joined(const Shapes&... shapes) {
  Shape result;
  (result.insert(result.end(), shapes.begin(), shapes.end()), ...);
  return result;
}

// Makes `shape` what it and `other` broadcast to; false, and `shape` as it was, when they do not.
bool broadcast_into(Shape& shape, IntArrayRef other);

std::string text_of(IntArrayRef shape);  // "[2, 3]"

// The sum over the last `dims` dimensions.
at::Tensor sum_rightmost(const at::Tensor& value, int64_t dims);

}  // namespace kullback::dist
