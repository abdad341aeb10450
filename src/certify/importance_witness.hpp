// The first witness: importance sampling from the approximation's own draws.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "certify/estimates.hpp"
#include "certify/stein_controls.hpp"
#include "stats/psis.hpp"

namespace kullback::certify {

class ImportanceWitness final {
 public:
  // Independent draws of q, log p - log q of each (minus infinity outside the support), and the controls of
  // each quantity (SteinControls::evaluate at the draws); empty: none.
  ImportanceWitness(const ValuedPoints& draws, std::span<const double> log_ratios,
                    const std::vector<double>& controls);

  const std::vector<double>& weights() const { return weights_; }  // smoothed, with sum 1
  double khat() const { return khat_; }                            // of the weights
  double khat_limit() const { return khat_limit_; }
  double ess() const { return ess_; }

  const MomentEstimate& moments(std::size_t quantity) const { return moments_[quantity]; }
  // The largest khat of w, w x and w x^2, x from its mean.
  double khat(std::size_t quantity) const { return khats_[quantity]; }
  bool supports(std::size_t quantity) const { return khats_[quantity] < khat_limit_; }
  QuartileEstimate quartiles(std::size_t quantity, double factor) const;

 private:
  void estimate(std::size_t quantity, const double* controls);
  std::span<const double> values(std::size_t quantity) const {
    return draws_.values.subspan(quantity * draws_.count, draws_.count);
  }

  ValuedPoints draws_;
  std::vector<double> weights_;
  std::vector<double> squared_weights_;
  double khat_;
  double khat_limit_;
  double ess_;
  std::vector<MomentEstimate> moments_;
  std::vector<double> khats_;
};

}  // namespace kullback::certify
