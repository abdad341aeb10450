#include "deep/train/noise.hpp"

#include <vector>

namespace kullback::deep {

template <class Draw>
torch::Tensor Noise::draw(at::IntArrayRef shape, std::int64_t row_dim, const Draw& draw) const {
  if (row_dim < 0 || rows_ == batch_) return draw(shape);
  std::vector<std::int64_t> all = shape.vec();
  all[static_cast<std::size_t>(row_dim)] = batch_;
  return draw(all).narrow(row_dim, first_, rows_);
}

torch::Tensor Noise::normal(at::IntArrayRef shape, const torch::TensorOptions& options,
                            std::int64_t row_dim) const {
  return draw(shape, row_dim, [&](at::IntArrayRef sizes) { return torch::randn(sizes, options); });
}

torch::Tensor Noise::uniform(at::IntArrayRef shape, const torch::TensorOptions& options,
                             std::int64_t row_dim) const {
  return draw(shape, row_dim, [&](at::IntArrayRef sizes) { return torch::rand(sizes, options); });
}

}  // namespace kullback::deep
