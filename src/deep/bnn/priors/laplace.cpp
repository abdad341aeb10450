// Weights ~ Laplace(0, b) with sd sqrt(2) b = scale / sqrt(fan_in); biases and all else ~ N(0, bias_scale^2).
#include "deep/bnn/prior.hpp"
#include "deep/bnn/priors/independent.hpp"

namespace kullback::deep {

namespace {

constexpr const OptionRecord* kOptions[] = {&kPriorScale, &kPriorBiasScale};

class LaplacePrior final : public Prior {
 public:
  explicit LaplacePrior(const OptionValues& values)
      : scale_(values[kPriorScale]), bias_scale_(values[kPriorBiasScale]) {}

  torch::Tensor log_density(const Layout& layout, const Parameters& parameters) const override {
    torch::Tensor sum;
    for (std::size_t i = 0; i < layout.slots().size(); ++i) {
      const Slot& slot = layout.slots()[i];
      const torch::Tensor x = by_net(parameters[i]);
      const torch::Tensor term =
          slot.role == Role::weight ? laplace_sum(x, per_input(scale_, slot) / std::numbers::sqrt2, slot.size)
                                    : normal_sum(x, bias_scale_);
      sum = sum.defined() ? sum + term : term;
    }
    return sum;
  }

 private:
  static torch::Tensor laplace_sum(const torch::Tensor& x, double b, std::int64_t count) {
    return x.flatten(1).abs().sum(1) * (-1 / b) - static_cast<double>(count) * std::log(2 * b);
  }

  double scale_, bias_scale_;
};

}  // namespace

extern const PriorRecord kLaplacePrior;
const PriorRecord kLaplacePrior{.name = "laplace",
                                .summary = "independent double-exponential weights: sparser than normal ones",
                                .options = kOptions,
                                .make = [](const OptionValues& values) -> std::unique_ptr<Prior> {
                                  return std::make_unique<LaplacePrior>(values);
                                }};

}  // namespace kullback::deep
