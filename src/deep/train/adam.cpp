// m <- m + (1 - b1)(g - m), v <- b2 v + (1 - b2) g^2, x <- x - rate * (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + eps).
#include "deep/train/adam.hpp"

#include <cmath>
#include <numbers>

namespace kullback::deep {

Adam::Adam(const torch::Tensor& like, AdamOptions options)
    : options_(options), mean_(torch::zeros_like(like)), square_(torch::zeros_like(like)) {}

void Adam::step(torch::Tensor& parameters, const torch::Tensor& gradient, const torch::Tensor& count,
                const torch::Tensor& scale) {
  const torch::NoGradGuard no_gradient;
  mean_.lerp_(gradient, 1 - options_.beta1);
  square_.mul_(options_.beta2).addcmul_(gradient, gradient, 1 - options_.beta2);
  const torch::Tensor length = -options_.rate * scale / (1 - at::pow(options_.beta1, count));
  const torch::Tensor root = (1 - at::pow(options_.beta2, count)).rsqrt();
  const torch::Tensor size = square_.sqrt().mul_(root.to(square_.dtype())).add_(options_.epsilon);
  parameters.addcmul_(mean_ / size, length.to(parameters.dtype()).expand_as(parameters));
}

void Adam::visit(const std::string& prefix, const VisitTensor& visit) {
  visit(prefix + ".mean", mean_);
  visit(prefix + ".square", square_);
}

torch::Tensor rate_scale(Schedule schedule, const torch::Tensor& progress) {
  if (schedule == Schedule::constant) return torch::ones_like(progress);
  return (1 + at::cos(progress * std::numbers::pi)) / 2;
}

}  // namespace kullback::deep
