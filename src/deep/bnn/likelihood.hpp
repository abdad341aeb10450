// What a network's outputs say of the target.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "deep/net/layout.hpp"

namespace kullback::deep {

// What networks predict, each for itself. Regression: mean and variance [nets, rows]; classification:
// log_probs [nets, rows, classes]. The variance is that of the target around the mean, in the units the
// network was trained in.
struct Predictive {
  torch::Tensor mean = {};
  torch::Tensor variance = {};
  torch::Tensor log_probs = {};
  // Of closed forms: the part of `variance` that is uncertainty of the mean. Undefined: none of it.
  torch::Tensor mean_variance = {};
};

class Likelihood {
 public:
  virtual ~Likelihood() = default;

  virtual std::int64_t outputs() const = 0;  // of the network
  // Slots of its own parameters, such as the log of the noise; called once, before all else.
  virtual void add_slots(Layout& /*layout*/) {}
  // outputs [nets, rows, outputs()], target [nets or 1, rows] (classes as int64): result [nets, rows].
  virtual torch::Tensor log_density(const Parameters& parameters, const torch::Tensor& outputs,
                                    const torch::Tensor& target) const = 0;
  virtual Predictive predict(const Parameters& parameters, const torch::Tensor& outputs) const = 0;
  // The Hessian of -log density to the outputs, [nets, rows, outputs, outputs] (generalised Gauss-Newton).
  virtual torch::Tensor output_hessian(const Parameters& parameters, const torch::Tensor& outputs) const = 0;
};

struct LikelihoodSpec {
  std::int64_t classes = 0;  // of classification
  double noise = 0;  // of "gaussian": sd of the standardised target that is known and not learned; 0: learned
};

struct LikelihoodRecord {
  std::string_view name;
  std::string_view summary;
  bool is_classification = false;
  std::unique_ptr<Likelihood> (*make)(const LikelihoodSpec& spec);
};

// In the order of deep/bnn/likelihoods.def: gaussian, heteroscedastic, categorical.
std::span<const LikelihoodRecord* const> likelihoods();

}  // namespace kullback::deep
