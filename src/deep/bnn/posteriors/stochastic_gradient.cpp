#include "deep/bnn/posteriors/stochastic_gradient.hpp"

#include <algorithm>
#include <utility>

#include "deep/bnn/minibatch_gradient.hpp"

namespace kullback::deep {

StochasticGradientChains::StochasticGradientChains(const BayesNet& net, torch::Tensor flat,
                                                   std::unique_ptr<Dynamics> dynamics,
                                                   std::int64_t most_draws)
    : net_(net), flat_(std::move(flat)), dynamics_(std::move(dynamics)), kept_(flat_, most_draws) {}

torch::Tensor StochasticGradientChains::step(const Minibatch& batch) {
  PlainRule plain;
  auto [loss, gradient] = minibatch_gradient(net_, flat_, batch, plain);
  const torch::NoGradGuard no_gradient;
  const auto rows = static_cast<double>(batch.all_rows);
  gradient.mul_(rows);
  const double noise_part = 1 - std::min(1.0, static_cast<double>(batch.step.batch) / rows);
  dynamics_->move(flat_, {.gradient = gradient, .noise_part = noise_part, .step = batch.step});
  return loss.mean();
}

void StochasticGradientChains::end_epoch(double progress) { kept_.offer(flat_, dynamics_->clock(progress)); }

Predictive StochasticGradientChains::predict(const torch::Tensor& x, std::int64_t draws) {
  return predict_draws(net_, kept_.take(flat_, draws), x);
}

void StochasticGradientChains::visit(const VisitTensor& visit) {
  visit("flat", flat_);
  dynamics_->visit(visit);
  kept_.visit(visit);
}

Findings StochasticGradientChains::findings() const {
  if (kept_.count() > 0) return {};
  return {{.code = "no-draws",
           .message = "The chains kept no draw: training ended before their burn-in did.",
           .evidence = "predictions are those of the last state of each chain",
           .advice = "Give more --epochs, or a smaller --burn-in, and no --patience."}};
}

GradientSquares::GradientSquares(const BayesNet& net, const torch::Tensor& flat)
    : squares(torch::ones_like(flat)) {
  const Layout& layout = net.layout();
  precisions_ = net.prior().precisions(layout);
  // Any prior for standardised data has parameters of size about 1.
  if (!precisions_.defined()) precisions_ = torch::ones({layout.size()}, torch::kFloat64);
  const auto arrays = static_cast<std::int64_t>(layout.slots().size());
  array_of_ = torch::zeros({arrays, layout.size()}, torch::kFloat64);
  for (std::int64_t i = 0; i < arrays; ++i) {
    const Slot& slot = layout.slots()[static_cast<std::size_t>(i)];
    array_of_.select(0, i).narrow(0, slot.first, slot.size).fill_(1);
  }
  mean_of_array_ = (array_of_ / array_of_.sum(1, true)).t().contiguous().to(flat.options());
  array_of_ = array_of_.to(flat.options());
  precisions_ = precisions_.to(flat.options());
}

torch::Tensor GradientSquares::floored() const {
  constexpr double kOfMean = 0.01;
  const torch::Tensor means = squares.matmul(mean_of_array_) * kOfMean;
  return at::maximum(at::maximum(squares, means.matmul(array_of_)), precisions_);
}

torch::Tensor step_sizes(const StepRule& rule, const torch::Tensor& squares, double noise_part,
                         const torch::Tensor& capped) {
  const torch::Tensor rated = squares.rsqrt() * (rule.rate * rule.friction);
  if (noise_part == 0) return rated;
  const torch::Tensor most = (0.5 * rule.friction / noise_part) / squares;
  return at::where(capped > 0, at::minimum(rated, most), rated);
}

torch::Tensor guarded(const torch::Tensor& gradient, const torch::Tensor& squares) {
  const torch::Tensor most = 10 * squares.sqrt();
  return at::minimum(at::maximum(gradient, -most), most);
}

double clock_after(double burn_in, double progress) { return (progress - burn_in) / (1 - burn_in); }

}  // namespace kullback::deep
