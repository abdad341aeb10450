// Rates beta(t) > 0 of SDEs that preserve variance, with their integrals B(t) = int_0^t beta.
#pragma once

#include <torch/types.h>

#include <memory>
#include <string>
#include <vector>

#include "base/settings.hpp"

namespace kullback::deep::diffusion {

class Rate {
 public:
  virtual ~Rate() = default;
  virtual torch::Tensor at(const torch::Tensor& t) const = 0;
  virtual torch::Tensor integral(const torch::Tensor& t) const = 0;
};

// beta from a to b along a line.
class LinearRate final : public Rate {
 public:
  LinearRate(double from, double to) : from_(from), to_(to) {}
  torch::Tensor at(const torch::Tensor& t) const override { return from_ + (to_ - from_) * t; }
  torch::Tensor integral(const torch::Tensor& t) const override {
    return (from_ + (to_ - from_) / 2 * t) * t;
  }

 private:
  double from_, to_;
};

// A share of signal alpha^2 given at equal distances, with constant rates between: share[0] is that at t = 0
// and must be 1, and each is below the one before. Throws Error usage that says where it does not fall.
class TableRate final : public Rate {
 public:
  explicit TableRate(const std::vector<double>& shares, const std::string& name);
  torch::Tensor at(const torch::Tensor& t) const override;
  torch::Tensor integral(const torch::Tensor& t) const override;

 private:
  torch::Tensor place(const torch::Tensor& t) const;
  void move_to(const torch::Device& device) const;

  mutable torch::Tensor rate_, integral_;  // on the device of the times that were asked for last
  double steps_;
};

// The options --beta-min, --beta-max and --noise-schedule: linear, cosine, or a file with shares of signal.
std::vector<Option> rate_options();
std::unique_ptr<Rate> rate_of(const Settings& settings);

}  // namespace kullback::deep::diffusion
