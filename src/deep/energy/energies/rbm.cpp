// A restricted Boltzmann machine (Smolensky 1986) of visible v and hidden h, all 0 or 1, with the hidden
// summed out:
//   E_b(v) = -((1 - b) base + b bias)'v - sum_j log(1 + exp(b (c_j + W_j v))).
// The path is that of Salakhutdinov & Murray 2008: b = 0 is independent pixels with the data's frequencies,
// Z_0 = 2^hidden prod_i (1 + exp(base_i)). A Gibbs sweep draws h given v, then v given h; its marginal chain
// on v is reversible: p(v) T(v' | v) = sum_h p(v, h) p(v', h) / p(h).
// With few hidden units Z is a sum over their 2^hidden states: log p(h) + log Z = c'h + sum_i log(1 +
// exp(bias_i + h'W_i)).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "deep/counts.hpp"
#include "deep/energy/energy.hpp"

namespace kullback::deep {

namespace {

constexpr auto kHiddenUnits =
    CountOption("hidden_units", 64, "Of the machine; up to 16 its constant is summed exactly")
        .from(1)
        .to(1'000'000);

constexpr std::int64_t kMostEnumerated = 16;  // hidden units
constexpr std::int64_t kStatesAtOnce = 4096;

class Rbm final : public Energy {
 public:
  Rbm(std::int64_t visible, std::int64_t hidden, const torch::TensorOptions& options)
      : visible_(visible), hidden_(hidden), options_(options) {
    // Weights begin small: the machine begins near its base.
    weight_ = layout_.add(
        {.name = "weight", .shape = {hidden, visible}, .role = Role::weight, .fan_in = visible, .gain = 0.1});
    hidden_bias_ = layout_.add({.name = "hidden_bias", .shape = {hidden}, .role = Role::bias});
    visible_bias_ = layout_.add({.name = "visible_bias", .shape = {visible}, .role = Role::bias});
    base_ = torch::zeros({visible}, options);
  }

  std::int64_t dim() const override { return visible_; }
  const Layout& layout() const override { return layout_; }
  bool is_continuous() const override { return false; }

  torch::Tensor at(const Parameters& parameters, const torch::Tensor& x, double b) const override {
    return -x.matmul(visible_field(parameters, b)) - at::softplus(b * hidden_field(parameters, x)).sum(1);
  }

  double base_log_partition() const override {
    return static_cast<double>(hidden_) * std::log(2) +
           at::softplus(base_.to(torch::kFloat64)).sum().item<double>();
  }

  torch::Tensor base_draws(std::int64_t count, const Noise& noise) const override {
    return bits(base_.sigmoid().expand({count, visible_}), noise);
  }

  torch::Tensor gibbs(const Parameters& parameters, const torch::Tensor& x, double b,
                      const Noise& noise) const override {
    const torch::Tensor h = bits((b * hidden_field(parameters, x)).sigmoid(), noise);
    return bits((visible_field(parameters, b) + b * h.matmul(parameters[weight_][0])).sigmoid(), noise);
  }

  std::string exact_partition_by() const override {
    return hidden_ <= kMostEnumerated ? fmt::format("a sum over the 2^{} states of the hidden units", hidden_)
                                      : "";
  }

  torch::Tensor log_partition(const Parameters& parameters) const override {
    if (hidden_ > kMostEnumerated) return Energy::log_partition(parameters);
    return at::logsumexp(log_weights(parameters), 0);
  }

  bool has_exact_draws() const override { return hidden_ <= kMostEnumerated; }

  torch::Tensor exact_draws(const Parameters& parameters, std::int64_t count) const override {
    if (!has_exact_draws()) return Energy::exact_draws(parameters, count);
    const torch::NoGradGuard no_gradient;
    const torch::Tensor chosen = at::multinomial(at::softmax(log_weights(parameters), 0), count, true);
    const torch::Tensor h = states(0, std::int64_t{1} << hidden_).index_select(0, chosen);
    return bits((parameters[visible_bias_][0] + h.matmul(parameters[weight_][0])).sigmoid(), Noise());
  }

  void fit_base(const torch::Tensor& data) override {
    const torch::Tensor shares = (data.sum(0) + 1) / static_cast<double>(data.size(0) + 2);
    base_.copy_(at::logit(shares));
  }

  void visit(const VisitTensor& visit) override { visit("base", base_); }

 private:
  torch::Tensor visible_field(const Parameters& parameters, double b) const {
    if (b == 1) return parameters[visible_bias_][0];
    return (1 - b) * base_ + b * parameters[visible_bias_][0];
  }

  torch::Tensor hidden_field(const Parameters& parameters, const torch::Tensor& x) const {
    return x.matmul(parameters[weight_][0].t()) + parameters[hidden_bias_][0];
  }

  static torch::Tensor bits(const torch::Tensor& chance, const Noise& noise) {
    return (noise.uniform(chance.sizes(), chance.options(), 0) < chance).to(chance.scalar_type());
  }

  // The numbers first .. first + count - 1 in binary, [count, hidden].
  torch::Tensor states(std::int64_t first, std::int64_t count) const {
    const auto whole = options_.dtype(torch::kInt64);
    const torch::Tensor numbers = torch::arange(first, first + count, whole).unsqueeze(1);
    const torch::Tensor powers = torch::pow(2, torch::arange(hidden_, whole)).unsqueeze(0);
    return at::floor_divide(numbers, powers).remainder(2).to(options_);
  }

  // log of the unnormalised probability of each state of the hidden units, in double precision.
  torch::Tensor log_weights(const Parameters& parameters) const {
    std::vector<torch::Tensor> parts;
    const std::int64_t all = std::int64_t{1} << hidden_, at_once = std::min(all, kStatesAtOnce);
    for (std::int64_t first = 0; first < all; first += at_once) {
      const torch::Tensor h = states(first, at_once);
      const torch::Tensor field = parameters[visible_bias_][0] + h.matmul(parameters[weight_][0]);
      parts.push_back(
          (h.matmul(parameters[hidden_bias_][0]) + at::softplus(field).sum(1)).to(torch::kFloat64));
    }
    return at::cat(parts);
  }

  std::int64_t visible_, hidden_;
  torch::TensorOptions options_;
  Layout layout_;
  std::size_t weight_ = 0, hidden_bias_ = 0, visible_bias_ = 0;
  torch::Tensor base_;  // log odds
};

constexpr const OptionRecord* kOptions[] = {&kHiddenUnits};

}  // namespace

extern const EnergyRecord kRbmEnergy;
const EnergyRecord kRbmEnergy{
    .name = "rbm",
    .summary = "a restricted Boltzmann machine: rows of 0 and 1",
    .needs_bits = true,
    .options = kOptions,
    .make = [](const OptionValues& values, const EnergySpec& spec) -> std::unique_ptr<Energy> {
      return std::make_unique<Rbm>(spec.dim, count_of(values, kHiddenUnits), spec.options);
    }};

}  // namespace kullback::deep
