// Discrete time (Ho et al. 2020): step i of N multiplies the signal by sqrt(1 - beta_i) and adds noise of
// variance beta_i. That is the variance-preserving SDE with the constant rate -N log(1 - beta_i) during step
// i; at the times i / N both agree exactly, and ancestral sampling with N steps is theirs.
#include <fmt/format.h>

#include "base/error.hpp"
#include "deep/diffusion/sdes/one_block.hpp"
#include "deep/diffusion/sdes/rate.hpp"

namespace kullback::deep::diffusion {

namespace {

constexpr auto kNoiseSteps = CountOption("noise_steps", 1000, "Steps of the noise").from(2).to(1'000'000);
constexpr auto kFirstBeta =
    NumberOption("first_beta", 0.0001, "Variance that the first step adds").above(0).below(1);
constexpr auto kLastBeta =
    NumberOption("last_beta", 0.02, "Variance that the last step adds").above(0).below(1);

class Ddpm final : public Sde {
 public:
  explicit Ddpm(const std::vector<double>& shares)
      : rate_(shares, "ddpm"), first_(1 / static_cast<double>(shares.size() - 1)) {}

  Coefficients at(const torch::Tensor& t) const override {
    const torch::Tensor beta = rate_.at(t), whole = rate_.integral(t);
    return one_block(beta / -2, beta, at::exp(whole / -2), -at::expm1(-whole));
  }
  double t_min() const override { return first_; }
  torch::Tensor training_time(const torch::Tensor& uniform) const override {
    return ((uniform / first_).floor() + 1) * first_;
  }

 private:
  TableRate rate_;
  double first_;
};

std::unique_ptr<Sde> make(const OptionValues& values) {
  const std::size_t steps = values[kNoiseSteps];
  const double from = values[kFirstBeta], to = values[kLastBeta];
  if (to < from)
    throw Error(ErrorKind::usage, fmt::format("--first-beta {} is above --last-beta {}.", from, to),
                "Noise must come faster and faster: 0.0001 and 0.02 of 1000 steps.");
  std::vector<double> shares = {1};
  for (std::size_t i = 0; i < steps; ++i)
    shares.push_back(shares.back() *
                     (1 - (from + (to - from) * static_cast<double>(i) / static_cast<double>(steps - 1))));
  return std::make_unique<Ddpm>(shares);
}

constexpr const OptionRecord* kOptions[] = {&kNoiseSteps, &kFirstBeta, &kLastBeta};

}  // namespace

extern const SdeRecord k_ddpm;
const SdeRecord k_ddpm = {
    .name = "ddpm", .summary = "Discrete time: the noise of DDPM's steps", .options = kOptions, .make = make};

}  // namespace kullback::deep::diffusion
