// The slope of a linear operator is its matrix, read off by sending in the unit vectors, and with the
// singular values of it every power and inverse here is a product. Above kMostSlope numbers, or where A is
// not linear, only the largest singular value is used, found by power iteration (v <- J^T J v) at a few
// points drawn from N(0, 1), which is what standardised data look like from afar.
#include "deep/diffusion/conditioning/measurement.hpp"

#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <numbers>

#include "base/error.hpp"

namespace kullback::deep::diffusion {

namespace {

constexpr std::int64_t kMostSlope = 4'000'000;  // numbers of a slope that is kept
constexpr std::int64_t kPoints = 8;
constexpr int kIterations = 20;
constexpr double kSmallest = 1e-10;  // singular values below this part of the largest are none

}  // namespace

Measurement::Measurement(const Operator& operation, const Units& units, const torch::Tensor& observed,
                         double noise_sd)
    : operation_(operation),
      options_(units.scale.options()),
      units_{units.center.to(torch::kFloat64), units.scale.to(torch::kFloat64)},
      noise_sd_(noise_sd) {
  if (!(noise_sd > 0) || !std::isfinite(noise_sd))
    throw Error(
        ErrorKind::usage, fmt::format("--noise-sd is {}; it must be above 0.", noise_sd),
        "It is the sd of the noise in the observed numbers, in their units; a small one stands for none.");
  const torch::Tensor all = observed.flatten().to(torch::kCPU, torch::kFloat64);
  if (all.size(0) != operation.gives().size)
    throw Error(ErrorKind::bad_input, fmt::format("an observed row has {} numbers; the operator gives {}.",
                                                  all.size(0), shape_text(operation.gives())));
  torch::Tensor is_seen = all.isfinite();
  if (operation.seen().defined()) is_seen = is_seen.logical_and(operation.seen().to(torch::kCPU));
  const torch::Tensor index = is_seen.nonzero().flatten();
  if (index.size(0) == 0)
    throw Error(ErrorKind::bad_input, "nothing of an observed row is seen: all its numbers are missing.",
                "'kullback sample' draws without an observation.");
  index_ = index.to(units_.scale.device());
  observed_ = all.index_select(0, index).to(units_.scale.options());
  learn_slope();
}

torch::Tensor Measurement::forward(const torch::Tensor& x) const {
  return operation_.forward(units_.center + units_.scale * x.to(torch::kFloat64)).index_select(1, index_);
}

void Measurement::learn_slope() {
  const torch::TensorOptions exact = units_.scale.options();
  if (operation_.is_linear() && dims() * seen() <= kMostSlope) {
    const torch::NoGradGuard no_gradient;
    const torch::Tensor basis = torch::eye(dims(), exact);
    const torch::Tensor slope = (forward(basis) - forward(torch::zeros({1, dims()}, exact))).t();
    const auto [left, values, right] = at::linalg_svd(slope, false);
    const std::int64_t rank = (values > kSmallest * values.max()).sum().item<std::int64_t>();
    left_ = left.narrow(1, 0, rank);
    values_ = values.narrow(0, 0, rank);
    right_ = right.narrow(0, 0, rank).t().contiguous();
    largest_ = std::pow(values[0].item<double>(), 2);
  } else {
    const torch::AutoGradMode with_gradient(true);
    const torch::Tensor x = torch::randn({kPoints, dims()}, exact).requires_grad_();
    const torch::Tensor y = forward(x);
    // J v by differentiating J^T u in u (twice backwards).
    const torch::Tensor u = torch::zeros_like(y).requires_grad_();
    const torch::Tensor back = torch::autograd::grad({y}, {x}, {u}, true, true)[0];
    torch::Tensor v = torch::randn_like(x);
    for (int i = 0; i < kIterations; ++i) {
      v = v / v.norm(2, {1}, true).clamp_min(1e-300);
      const torch::Tensor pushed = torch::autograd::grad({back}, {u}, {v}, true)[0];
      v = torch::autograd::grad({y}, {x}, {pushed.detach()}, true)[0].detach();
    }
    largest_ = v.norm(2, {1}).max().item<double>();
  }
  if (std::isfinite(largest_)) return;
  throw Error(ErrorKind::bad_input, "the operator's slope is not finite.",
              "Give one that is differentiable.");
}

torch::Tensor Measurement::variances(double spread) const {
  const double noise = noise_sd_ * noise_sd_;
  if (!values_.defined()) return torch::full({1, 1}, noise + spread * largest_, observed_.options());
  return (noise + spread * values_.square()).unsqueeze(0);
}

torch::Tensor Measurement::log_likelihood(const torch::Tensor& x, double spread) const {
  const torch::Tensor away = observed_ - forward(x), variance = variances(spread);
  const auto count = static_cast<double>(seen());
  const double noise = noise_sd_ * noise_sd_, constant = count * std::log(2 * std::numbers::pi);
  if (!values_.defined())
    return -(away.square().sum(1) / variance.flatten() + count * at::log(variance).flatten() + constant) / 2;
  // In the directions of left_ the variance is larger than that of the noise, in the others not.
  const torch::Tensor turned = away.mm(left_);
  const torch::Tensor square =
      away.square().sum(1) / noise + (turned.square() * (1 / variance - 1 / noise)).sum(1);
  const double others = (count - static_cast<double>(values_.size(0))) * std::log(noise);
  return -(square + at::log(variance).sum(1) + others + constant) / 2;
}

torch::Tensor Measurement::gradient(const torch::Tensor& x, double spread) const {
  const torch::AutoGradMode with_gradient(true);
  const torch::Tensor leaf = x.detach().requires_grad_();
  return torch::autograd::grad({log_likelihood(leaf, spread).sum()}, {leaf})[0];
}

torch::Tensor Measurement::times_covariance(const torch::Tensor& v, const Metric& metric,
                                            double power) const {
  if (!values_.defined()) {
    const double variance = noise_sd_ * noise_sd_ + metric.spread * largest_;
    return v * std::pow(metric.prior + largest_ / variance, -power);
  }
  const torch::Tensor precision = metric.prior + values_.square() / variances(metric.spread).flatten();
  const double outside = std::pow(metric.prior, -power);
  const torch::Tensor inside = (v.to(torch::kFloat64).mm(right_) * (precision.pow(-power) - outside));
  return outside * v + inside.mm(right_.t()).to(v.scalar_type());
}

}  // namespace kullback::deep::diffusion
