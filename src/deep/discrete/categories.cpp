#include "deep/discrete/categories.hpp"

namespace kullback::deep::discrete {

namespace {

constexpr double kAbsent = -1e9;  // finite: chances of 0 times their logarithm stay numbers

}  // namespace

Categories::Categories(const Setting& setting)
    : dims_(setting.space.dims()),
      most_(setting.space.most()),
      number_(setting.number),
      values_(torch::tensor(setting.space.values, torch::kInt64).to(setting.number.device())),
      index_(torch::arange(most_, values_.options())),
      absent_((index_.unsqueeze(0) >= values_.unsqueeze(1)).unsqueeze(0)) {}

torch::Tensor Categories::one_hot(const torch::Tensor& state) const {
  return (state.unsqueeze(1) == index_.view({1, -1, 1})).to(number_.dtype());
}

torch::Tensor Categories::log_chances(const torch::Tensor& raw) const {
  return at::log_softmax(raw.masked_fill(absent_, kAbsent), 2);
}

torch::Tensor Categories::at(const torch::Tensor& log_chances, const torch::Tensor& x) {
  return log_chances.gather(2, x.unsqueeze(2)).squeeze(2);
}

torch::Tensor Categories::draw(const torch::Tensor& log_chances, const torch::Tensor& uniform) const {
  const torch::Tensor below = log_chances.exp().cumsum(2) <= uniform.unsqueeze(2);
  return at::minimum(below.sum(2), values_ - 1);  // sums of chances may fall short of 1
}

torch::Tensor Categories::draw_uniform(const torch::Tensor& uniform) const {
  return at::minimum((uniform * values_).to(torch::kInt64), values_ - 1);
}

}  // namespace kullback::deep::discrete
