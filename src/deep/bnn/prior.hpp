// What is believed of a network's weights before there are data.
#pragma once

#include <torch/types.h>

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/option.hpp"
#include "deep/net/layout.hpp"

namespace kullback::deep {

class Prior {
 public:
  virtual ~Prior() = default;
  // Slots of its own parameters (scales of a horseshoe); called once, after the network's and the
  // likelihood's.
  virtual void add_slots(Layout& /*layout*/) {}
  // Of all parameters, [nets].
  virtual torch::Tensor log_density(const Layout& layout, const Parameters& parameters) const = 0;
  // The precision of each coordinate, [size], where the prior is an independent Gaussian with mean 0; else
  // undefined.
  virtual torch::Tensor precisions(const Layout& /*layout*/) const { return {}; }
};

inline constexpr auto kPriorScale =
    NumberOption("prior_scale", 1, "Sd of a weight times the root of the number of inputs of its layer")
        .above(0);
inline constexpr auto kPriorBiasScale = NumberOption("prior_bias_scale", 1, "Sd of a bias").above(0);

struct PriorRecord {
  std::string_view name;
  std::string_view summary;
  OptionTable options;
  std::unique_ptr<Prior> (*make)(const OptionValues& values);
};

// In the order of deep/bnn/priors.def: gaussian, scale-mixture, laplace, horseshoe.
std::span<const PriorRecord* const> priors();

}  // namespace kullback::deep
