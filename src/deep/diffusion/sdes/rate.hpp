// Rates beta(t) > 0 of SDEs that preserve variance, with their integrals B(t) = int_0^t beta.
#pragma once

#include <torch/types.h>

#include <memory>
#include <string>
#include <vector>

#include "base/option.hpp"

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

// --beta-min, --beta-max and --noise-schedule.
inline constexpr auto kNoiseSchedule = TextOption("noise_schedule", "linear",
                                                  "Of the noise: linear (rates), cosine, or a file with the "
                                                  "shares of signal that remain at equal distances of time");
inline constexpr auto kBetaMin =
    NumberOption("beta_min", 0.1, "Rate of the noise at the beginning (linear)").above(0);
inline constexpr auto kBetaMax =
    NumberOption("beta_max", 20, "Rate of the noise at the end (linear)").above(0);
inline constexpr const OptionRecord* kRateOptions[] = {&kNoiseSchedule, &kBetaMin, &kBetaMax};
std::unique_ptr<Rate> rate_of(const OptionValues& values);

}  // namespace kullback::deep::diffusion
