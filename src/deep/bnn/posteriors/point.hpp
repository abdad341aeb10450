// One set of parameters for each net, found by Adam: MAP or MLE, and the start of what builds on them.
#pragma once

#include <functional>

#include "deep/bnn/posterior.hpp"
#include "deep/bnn/posteriors/options.hpp"
#include "deep/train/adam.hpp"
#include "deep/train/options.hpp"

namespace kullback::deep {

struct PointOptions {
  double rate = 0.005;
  // The factor of the rate, of progress (one number from 0 to 1).
  std::function<torch::Tensor(const torch::Tensor&)> scale = {};
  bool has_prior = true;
};

inline constexpr const OptionRecord* kPointOptions[] = {&kAdamRate, &kFallingRate};
PointOptions point_options(const OptionValues& values, bool has_prior);

class Point final : public Posterior {
 public:
  Point(const BayesNet& net, PointOptions options, const PosteriorStart& start);

  torch::Tensor step(const Minibatch& batch) override;
  // The same with another way to apply the layers.
  torch::Tensor step(const Minibatch& batch, AffineRule& rule);
  Predictive predict(const torch::Tensor& x, std::int64_t draws) override;
  torch::Tensor draw_parameters(std::int64_t) override { return flat_.unsqueeze(1); }
  torch::Tensor center() override { return flat_; }
  void visit(const VisitTensor& visit) override;

 private:
  const BayesNet& net_;
  PointOptions options_;
  torch::Tensor flat_;
  Adam adam_;
};

}  // namespace kullback::deep
