#include "deep/bnn/posteriors/adapted_momentum.hpp"

namespace kullback::deep {

AdaptedMomentum::AdaptedMomentum(const BayesNet& net, const torch::Tensor& flat, StepRule rule)
    : rule_(rule),
      squares_(net, flat),
      mean_(torch::ones_like(flat)),
      window_(torch::ones_like(flat)),
      velocity_(torch::zeros_like(flat)) {}

// Running averages over a window that is short where gradients have a direction and grows where they are
// noise: window <- window + 1 - window * mean^2 / square (Schaul, Zhang, LeCun 2013; Springenberg et al.
// 2016, eq. 9).
void AdaptedMomentum::adapt(const torch::Tensor& gradient, const torch::Tensor& adapts) {
  const torch::Tensor weight = adapts / (window_ + 1);
  window_.add_(adapts * (1 - window_ * mean_.square() / (squares_.squares + 1e-30)));
  mean_.add_(weight * (gradient - mean_));
  squares_.squares.add_(weight * (gradient.square() - squares_.squares));
}

void AdaptedMomentum::move(torch::Tensor& flat, const Slope& slope, const Phase& phase) {
  adapt(slope.gradient, phase.adapts);
  const torch::Tensor squares = squares_.floored();
  const torch::Tensor step = step_sizes(rule_, squares, slope.noise_part, phase.capped) * phase.scale;
  const torch::Tensor normal = slope.step.noise.normal(flat.sizes(), flat.options(), -1);
  const torch::Tensor sd = (2 * rule_.friction * phase.temperature * step).sqrt();
  velocity_.mul_(1 - rule_.friction).sub_(step * guarded(slope.gradient, squares)).add_(sd * normal);
  flat.add_(velocity_);
}

void AdaptedMomentum::visit(const VisitTensor& visit) {
  squares_.visit(visit);
  visit("mean", mean_);
  visit("window", window_);
  visit("velocity", velocity_);
}

}  // namespace kullback::deep
