#include "deep/data/as_numbers.hpp"

#include "base/random.hpp"
#include "deep/purpose.hpp"

namespace kullback::deep {

namespace {

constexpr double kLevels = 255;

}  // namespace

torch::Tensor rows_as_numbers(const torch::Tensor& x, const torch::TensorOptions& like) {
  if (x.scalar_type() != torch::kUInt8) return x;
  return x.to(like.dtype()).div_(kLevels);
}

torch::Tensor binarised_once(const torch::Tensor& x, std::uint64_t seed) {
  Random random(seed, 0, static_cast<std::uint32_t>(Purpose::binarisation));
  at::manual_seed(random());
  const torch::Tensor chance = rows_as_numbers(x, torch::TensorOptions(torch::kFloat64));
  return (torch::rand(chance.sizes(), torch::TensorOptions(torch::kFloat64)) < chance)
      .to(torch::kUInt8)
      .mul_(255);
}

torch::Tensor one_hot(const torch::Tensor& label, std::int64_t labels, const torch::TensorOptions& like) {
  if (!label.defined() || labels == 0) return {};
  return (label.unsqueeze(1) == torch::arange(labels, label.options()).unsqueeze(0)).to(like.dtype());
}

}  // namespace kullback::deep
