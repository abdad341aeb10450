// Markov chains that move along gradients of minibatches: what they share. A chain is a net.
#pragma once

#include <torch/types.h>

#include <memory>
#include <string_view>
#include <vector>

#include "deep/bnn/posterior.hpp"
#include "deep/bnn/posteriors/kept_draws.hpp"
#include "deep/bnn/posteriors/options.hpp"
#include "deep/counts.hpp"

namespace kullback::deep {

// U = -log p(data, parameters) / temperature is the potential that a chain moves in.
struct Slope {
  torch::Tensor gradient;  // of -log p(data, parameters), estimated: [nets, size]
  // The part of the estimate's second moment that is noise of the minibatch. Rows without replacement: near
  // the posterior the variance of the estimate is about (all_rows / batch - 1) * curvature, and that of the
  // gradient itself is the curvature; 0 where the minibatch is all rows.
  double noise_part = 0;
  const StepContext& step;
};

class Dynamics {
 public:
  virtual ~Dynamics() = default;
  virtual void move(torch::Tensor& flat, const Slope& slope) = 0;
  // The part of the sampling that is done after an epoch (negative before it begins), for KeptDraws.
  virtual double clock(double progress) const = 0;
  virtual void visit(const VisitTensor& visit) = 0;
};

class StochasticGradientChains final : public Posterior {
 public:
  StochasticGradientChains(const BayesNet& net, torch::Tensor flat, std::unique_ptr<Dynamics> dynamics,
                           std::int64_t most_draws);

  torch::Tensor step(const Minibatch& batch) override;
  void end_epoch(double progress) override;
  Predictive predict(const torch::Tensor& x, std::int64_t draws) override;
  torch::Tensor draw_parameters(std::int64_t draws) override { return kept_.take(flat_, draws); }
  torch::Tensor center() override { return flat_; }
  void visit(const VisitTensor& visit) override;
  Findings findings() const override;

 private:
  const BayesNet& net_;
  torch::Tensor flat_;
  std::unique_ptr<Dynamics> dynamics_;
  KeptDraws kept_;
};

// Second moments of gradients, by coordinate, with a floor for coordinates that do not matter yet (units that
// are silent): the precision of the prior, and a hundredth of the mean of the coordinate's array. Without it
// their steps would be long when they begin to matter.
class GradientSquares final {
 public:
  GradientSquares(const BayesNet& net, const torch::Tensor& flat);

  torch::Tensor squares;          // [nets, size], without the floor
  torch::Tensor floored() const;  // with it
  void visit(const VisitTensor& visit) { visit("squares", squares); }

 private:
  torch::Tensor precisions_;     // [size]
  torch::Tensor mean_of_array_;  // [size, arrays]
  torch::Tensor array_of_;       // [arrays, size], one where the array holds the coordinate
};

// Steps of all coordinates: h = friction * rate / sqrt(squares), and after half of the burn-in (`capped`, 0
// or 1) no more than friction / (2 * noise of the minibatches). As the noise of a minibatch is about all_rows
// / batch times the curvature, a chain then takes two epochs or more to forget where it was; rows are drawn
// without replacement, so that the noise of minibatches cancels within an epoch and adds next to nothing to
// the noise that is injected, of variance 2 * h * friction * temperature. (Chen, Fox, Guestrin 2014 subtract
// it, which is right for independent minibatches.)
struct StepRule {
  double rate = 0;
  double friction = 1;  // 1: without momentum
};
torch::Tensor step_sizes(const StepRule& rule, const torch::Tensor& squares, double noise_part,
                         const torch::Tensor& capped);

// Gradients cut at 10 roots of the second moments: a guard for a chain that has left the region where its
// scales were found, which a chain in equilibrium does not notice.
torch::Tensor guarded(const torch::Tensor& gradient, const torch::Tensor& squares);

// (progress - burn_in) / (1 - burn_in)
double clock_after(double burn_in, double progress);

template <class MakeDynamics>
std::unique_ptr<Posterior> make_chains(const BayesNet& net, const OptionValues& values,
                                       const PosteriorStart& start, const MakeDynamics& make) {
  torch::Tensor flat = fresh_parameters(net.layout(), start);
  std::unique_ptr<Dynamics> dynamics = make(flat);
  return std::make_unique<StochasticGradientChains>(net, std::move(flat), std::move(dynamics),
                                                    count_of(values, kDrawsKept));
}

}  // namespace kullback::deep
