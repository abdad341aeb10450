// The straight path of flow matching (Lipman et al. 2023, Liu et al. 2023), alpha = 1 - t and sigma = t: the
// SDE with these marginals has the drift -1 / (1 - t) and the squared diffusion 2 t / (1 - t). At t = 1 both
// are infinite; the path begins at 0.999, where a thousandth of the signal is left.
#include "deep/diffusion/sdes/one_block.hpp"

namespace kullback::deep::diffusion {

namespace {

constexpr double kEnd = 0.999;

class FlowPath final : public Sde {
 public:
  Coefficients at(const torch::Tensor& t) const override {
    const torch::Tensor left = 1 - t;
    return one_block(-1 / left, 2 * t / left, left, t.square());
  }
  double t_max() const override { return kEnd; }
  std::vector<double> prior_variance() const override { return {kEnd * kEnd + (1 - kEnd) * (1 - kEnd)}; }
};

}  // namespace

extern const SdeRecord k_flow_path;
const SdeRecord k_flow_path = {
    .name = "flow",
    .summary = "Flow matching: straight from data to noise",
    .options = {},
    .make = [](const OptionValues&) -> std::unique_ptr<Sde> { return std::make_unique<FlowPath>(); }};

}  // namespace kullback::deep::diffusion
