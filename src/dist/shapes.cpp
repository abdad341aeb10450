#include "dist/shapes.hpp"

namespace kullback::dist {

bool broadcast_into(Shape& shape, IntArrayRef other) {
  Shape result = shape;
  if (result.size() < other.size()) result.insert(result.begin(), other.size() - result.size(), 1);
  for (size_t i = 1; i <= other.size(); ++i) {
    auto& mine = result[result.size() - i];
    const auto theirs = other[other.size() - i];
    if (mine == theirs || theirs == 1) continue;
    if (mine != 1) return false;
    mine = theirs;
  }
  shape = std::move(result);
  return true;
}

std::string text_of(IntArrayRef shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return text + "]";
}

at::Tensor sum_rightmost(const at::Tensor& value, int64_t dims) {
  return dims == 0 ? value : value.flatten(-dims).sum(-1);
}

}  // namespace kullback::dist
