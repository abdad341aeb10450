// Blundell, Cornebise, Kavukcuoglu, Wierstra 2015: each weight is drawn from pi N(0, s1^2) + (1 - pi) N(0,
// s2^2) with s2 much smaller than s1. Here s1 = scale / sqrt(fan_in), as gaussian.cpp has it, and s2 =
// narrow * s1. Biases and all else ~ N(0, bias_scale^2).
#include "deep/bnn/prior.hpp"
#include "deep/bnn/priors/independent.hpp"

namespace kullback::deep {

namespace {

constexpr auto kWideShare =
    NumberOption("prior_wide_share", 0.5, "Probability that a weight has the wide normal").above(0).below(1);
constexpr auto kNarrow =
    NumberOption("prior_narrow", 0.0025, "Sd of the narrow normal as a part of the wide one's")
        .above(0)
        .below(1);
constexpr const OptionRecord* kOptions[] = {&kPriorScale, &kPriorBiasScale, &kWideShare, &kNarrow};

class ScaleMixture final : public Prior {
 public:
  explicit ScaleMixture(const OptionValues& values)
      : wide_share_(values[kWideShare]),
        scale_(values[kPriorScale]),
        narrow_(values[kNarrow]),
        bias_scale_(values[kPriorBiasScale]) {}

  torch::Tensor log_density(const Layout& layout, const Parameters& parameters) const override {
    torch::Tensor sum;
    for (std::size_t i = 0; i < layout.slots().size(); ++i) {
      const Slot& slot = layout.slots()[i];
      const torch::Tensor x = by_net(parameters[i]);
      const torch::Tensor term =
          slot.role == Role::weight ? mixture_sum(x, per_input(scale_, slot)) : normal_sum(x, bias_scale_);
      sum = sum.defined() ? sum + term : term;
    }
    return sum;
  }

 private:
  torch::Tensor mixture_sum(const torch::Tensor& x, double wide) const {
    const torch::Tensor squares = x.flatten(1).square();
    return at::logaddexp(component(squares, wide_share_, wide),
                         component(squares, 1 - wide_share_, narrow_ * wide))
        .sum(1);
  }

  static torch::Tensor component(const torch::Tensor& squares, double share, double sd) {
    return squares * (-0.5 / (sd * sd)) + (std::log(share / sd) - 0.5 * std::log(2 * std::numbers::pi));
  }

  double wide_share_, scale_, narrow_, bias_scale_;
};

}  // namespace

extern const PriorRecord kScaleMixturePrior;
const PriorRecord kScaleMixturePrior{.name = "scale-mixture",
                                     .summary = "most weights near 0, some large (Blundell et al. 2015)",
                                     .options = kOptions,
                                     .make = [](const OptionValues& values) -> std::unique_ptr<Prior> {
                                       return std::make_unique<ScaleMixture>(values);
                                     }};

}  // namespace kullback::deep
