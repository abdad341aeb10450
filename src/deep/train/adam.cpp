// m <- m + (1 - b1)(g - m), v <- b2 v + (1 - b2) g^2, x <- x - rate * (m / (1 - b1^t)) / (sqrt(v / (1 -
// b2^t)) + eps).
// On a CPU all of it is one loop: as separate operations it would read and write some twenty arrays of the
// size of the parameters, here seven.
#include "deep/train/adam.hpp"

#include <ATen/Parallel.h>

#include <cmath>
#include <numbers>

namespace kullback::deep {

namespace {

constexpr std::int64_t kPiece = 8192;  // numbers of one thread, at least

template <class Number>
struct Arrays {
  Number* parameters;
  Number* mean;
  Number* square;
  const Number* gradient;
};

template <class Number>
void move(const Arrays<Number>& arrays, std::int64_t begin, std::int64_t end, const AdamOptions& options,
          double length, double root) {
  const auto beta1 = static_cast<Number>(options.beta1), beta2 = static_cast<Number>(options.beta2);
  const auto epsilon = static_cast<Number>(options.epsilon), factor = static_cast<Number>(length);
  const auto size = static_cast<Number>(root);
  for (std::int64_t i = begin; i < end; ++i) {
    const Number g = arrays.gradient[i];
    const Number m = arrays.mean[i] + (1 - beta1) * (g - arrays.mean[i]);
    const Number v = beta2 * arrays.square[i] + (1 - beta2) * g * g;
    arrays.mean[i] = m;
    arrays.square[i] = v;
    arrays.parameters[i] += factor * (m / (std::sqrt(v) * size + epsilon));
  }
}

template <class Number>
void move_on_cpu(torch::Tensor& parameters, torch::Tensor& mean, torch::Tensor& square,
                 const torch::Tensor& gradient, const AdamOptions& options, double length, double root) {
  const torch::Tensor flat = gradient.contiguous();
  const Arrays<Number> arrays{parameters.data_ptr<Number>(), mean.data_ptr<Number>(),
                              square.data_ptr<Number>(), flat.data_ptr<Number>()};
  at::parallel_for(0, parameters.numel(), kPiece, [&](std::int64_t begin, std::int64_t end) {
    move(arrays, begin, end, options, length, root);
  });
}

}  // namespace

Adam::Adam(const torch::Tensor& like, AdamOptions options)
    : options_(options), mean_(torch::zeros_like(like)), square_(torch::zeros_like(like)) {}

void Adam::step(torch::Tensor& parameters, const torch::Tensor& gradient, const torch::Tensor& count,
                const torch::Tensor& scale) {
  const torch::NoGradGuard no_gradient;
  if (parameters.is_cpu() && parameters.is_contiguous() &&
      parameters.scalar_type() == gradient.scalar_type()) {
    const double steps = count.item<double>();
    const double length = -options_.rate * scale.item<double>() / (1 - std::pow(options_.beta1, steps));
    const double root = 1 / std::sqrt(1 - std::pow(options_.beta2, steps));
    if (parameters.scalar_type() == torch::kFloat32)
      return move_on_cpu<float>(parameters, mean_, square_, gradient, options_, length, root);
    if (parameters.scalar_type() == torch::kFloat64)
      return move_on_cpu<double>(parameters, mean_, square_, gradient, options_, length, root);
  }
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
