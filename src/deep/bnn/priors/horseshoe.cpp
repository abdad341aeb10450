// The horseshoe (Carvalho, Polson, Scott 2010) on groups of weights, as Ghosh, Yao, Doshi-Velez 2018 use it:
// in each layer all weights that leave one input unit j share a local scale l_j, and the layer has a global
// scale t,
//   w_ij ~ N(0, (t^2 l_j^2 + floor^2) / fan_in),  l_j ~ C+(0, 1),  t ~ C+(0, scale),
// so that whole inputs and hidden units are switched off. The logs of the scales are parameters of their own:
// u = log l has the density log(2 / pi) + u - log(1 + e^2u). Without the small floor the density of a group
// that shrinks to 0 grows without bound, and a point estimate would be 0 whatever the data say.
#include "deep/bnn/prior.hpp"
#include "deep/bnn/priors/independent.hpp"

namespace kullback::deep {

namespace {

constexpr auto kLayerScale =
    NumberOption("prior_scale", 1, "Scale of a layer's half-Cauchy scale, times the root of its inputs")
        .above(0);
constexpr const OptionRecord* kOptions[] = {&kLayerScale, &kPriorBiasScale};

constexpr double kFloor = 0.01;

class Horseshoe final : public Prior {
 public:
  explicit Horseshoe(const OptionValues& values)
      : scale_(values[kLayerScale]), bias_scale_(values[kPriorBiasScale]) {}

  void add_slots(Layout& layout) override {
    const std::size_t others = layout.slots().size();
    for (std::size_t i = 0; i < others; ++i) {
      const Slot slot = layout.slots()[i];
      if (slot.role != Role::weight) {
        normal_.push_back(i);
        continue;
      }
      const std::string layer = "prior." + slot.name.substr(0, slot.name.rfind('.'));
      const std::size_t local = layout.add({.name = layer + ".log_local", .shape = {slot.shape[1]}});
      groups_.push_back(
          {.weight = i, .local = local, .global = layout.add({.name = layer + ".log_global", .shape = {}})});
    }
  }

  torch::Tensor log_density(const Layout& layout, const Parameters& parameters) const override {
    torch::Tensor sum;
    const auto add = [&](const torch::Tensor& term) { sum = sum.defined() ? sum + term : term; };
    for (const std::size_t i : normal_) add(normal_sum(by_net(parameters[i]), bias_scale_));
    for (const Group& group : groups_) {
      const torch::Tensor log_local = parameters[group.local];
      const torch::Tensor log_global = parameters[group.global].unsqueeze(1);  // of t / scale
      add(log_half_cauchy(log_local).sum(1) + log_half_cauchy(log_global).sum(1));
      const torch::Tensor variance =
          (at::exp(2 * (log_local + log_global)) * (scale_ * scale_) + kFloor * kFloor) /
          static_cast<double>(layout.slots()[group.weight].fan_in);
      add(weights_sum(parameters[group.weight], variance));
    }
    return sum;
  }

 private:
  struct Group {
    std::size_t weight, local, global;  // slots
  };

  static torch::Tensor log_half_cauchy(const torch::Tensor& log_scale) {
    return log_scale - at::softplus(2 * log_scale) + std::log(2 / std::numbers::pi);
  }

  // w [nets, outputs, inputs(, kernel, kernel)], variance [nets, inputs].
  static torch::Tensor weights_sum(const torch::Tensor& w, const torch::Tensor& variance) {
    const torch::Tensor squares = w.transpose(1, 2).flatten(2).square().sum(2);  // [nets, inputs]
    const auto each = static_cast<double>(w.numel() / (w.size(0) * w.size(2)));
    return (-0.5 * squares / variance - 0.5 * each * at::log(2 * std::numbers::pi * variance)).sum(1);
  }

  double scale_, bias_scale_;
  std::vector<std::size_t> normal_;
  std::vector<Group> groups_;
};

}  // namespace

extern const PriorRecord kHorseshoePrior;
const PriorRecord kHorseshoePrior{
    .name = "horseshoe",
    .summary = "inputs and hidden units are switched off as a whole unless the data want them",
    .options = kOptions,
    .make = [](const OptionValues& values) -> std::unique_ptr<Prior> {
      return std::make_unique<Horseshoe>(values);
    }};

}  // namespace kullback::deep
