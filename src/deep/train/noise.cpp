#include "deep/train/noise.hpp"

#include <vector>

namespace kullback::deep {

template <class Draw>
torch::Tensor Noise::draw(at::IntArrayRef shape, std::int64_t row_dim, const Draw& draw) const {
  const bool has_all_rows = row_dim < 0 || rows_ == batch_;
  if (has_all_rows && nets_.is_all()) return draw(shape);
  std::vector<std::int64_t> all = shape.vec();
  if (!has_all_rows) all[static_cast<std::size_t>(row_dim)] = batch_;
  const std::int64_t each = nets_.is_all() ? 1 : shape[0] / nets_.count;
  if (!nets_.is_all()) all[0] = nets_.all * each;
  torch::Tensor drawn = draw(all);
  if (!has_all_rows) drawn = drawn.narrow(row_dim, first_, rows_);
  return nets_.is_all() ? drawn : drawn.narrow(0, nets_.first * each, nets_.count * each);
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
