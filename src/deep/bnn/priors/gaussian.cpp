// Weights ~ N(0, (scale / sqrt(fan_in))^2), so that outputs have one size for any width (Neal 1996); biases
// and all other parameters ~ N(0, other_scale^2).
#include <cmath>
#include <numbers>

#include "deep/bnn/prior.hpp"

namespace kullback::deep {

namespace {

constexpr const OptionRecord* kOptions[] = {&kPriorScale, &kPriorBiasScale};

class Gaussian final : public Prior {
 public:
  explicit Gaussian(const OptionValues& values)
      : weight_scale_(values[kPriorScale]), bias_scale_(values[kPriorBiasScale]) {}

  torch::Tensor log_density(const Layout& layout, const Parameters& parameters) const override {
    torch::Tensor sum;
    double constant = 0;
    for (std::size_t i = 0; i < layout.slots().size(); ++i) {
      const Slot& slot = layout.slots()[i];
      const double sd = sd_of(slot);
      const torch::Tensor squares =
          parameters[i].reshape({parameters.nets(), -1}).square().sum(1) * (-0.5 / (sd * sd));
      sum = sum.defined() ? sum + squares : squares;
      constant -= static_cast<double>(slot.size) * (std::log(sd) + 0.5 * std::log(2 * std::numbers::pi));
    }
    return sum + constant;
  }

  torch::Tensor precisions(const Layout& layout) const override {
    torch::Tensor result = torch::empty({layout.size()}, torch::kFloat64);
    for (const Slot& slot : layout.slots())
      result.narrow(0, slot.first, slot.size).fill_(1 / (sd_of(slot) * sd_of(slot)));
    return result;
  }

 private:
  double sd_of(const Slot& slot) const {
    if (slot.role != Role::weight) return bias_scale_;
    return weight_scale_ / std::sqrt(static_cast<double>(slot.fan_in));
  }

  double weight_scale_, bias_scale_;
};

}  // namespace

extern const PriorRecord kGaussianPrior;
const PriorRecord kGaussianPrior{
    .name = "gaussian",
    .summary = "independent normal weights, smaller where more of them are summed",
    .options = kOptions,
    .make = [](const OptionValues& values) -> std::unique_ptr<Prior> {
      return std::make_unique<Gaussian>(values);
    }};

}  // namespace kullback::deep
