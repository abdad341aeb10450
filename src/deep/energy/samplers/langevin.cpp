// Unadjusted Langevin dynamics: x <- x - h dE/dx + N(0, 2 h). The chains' own distribution is off by a part
// that vanishes with h. Preconditioned (Li, Chen, Carlson, Carin 2016, for networks): h = rate / sqrt(S) by
// coordinate, S the running mean over chains and transitions of the squared slope; the term with the
// derivative of S is left out, as the authors do. S stays once the chains no longer adapt.
#include "deep/chains/langevin.hpp"

#include <cmath>

#include "deep/energy/chain_sampler.hpp"

namespace kullback::deep {

namespace {

constexpr auto kStepSize = NumberOption("step_size", 0.01, "H of a step along the gradient").above(0);
constexpr auto kScaledStepSize =
    NumberOption("step_size", 0.01, "H of a step where slopes are of size 1").above(0);
constexpr auto kMemory =
    NumberOption("memory", 0.99, "Of the running second moments of slopes").above(0).below(1);
constexpr const OptionRecord* kLangevinOptions[] = {&kStepSize};
constexpr const OptionRecord* kPreconditionedOptions[] = {&kScaledStepSize, &kMemory};

class Langevin final : public ChainSampler {
 public:
  Langevin(const OptionValues& values, const torch::TensorOptions& options)
      : step_(torch::full({}, values[kStepSize], options)), one_(torch::ones({}, options)) {}

  ChainStep move(const ChainTarget& target, const torch::Tensor& x, bool /*adapts*/) override {
    const torch::NoGradGuard no_gradient;
    torch::Tensor next = x.clone();
    langevin_step(next, target.potential(x).gradient, {.size = step_}, torch::randn_like(x));
    return {.x = next, .acceptance = one_};
  }

  double step_size() const override { return step_.item<double>(); }
  void visit(const VisitTensor&) override {}

 private:
  torch::Tensor step_, one_;
};

class Preconditioned final : public ChainSampler {
 public:
  Preconditioned(const OptionValues& values, std::int64_t dim, const torch::TensorOptions& options)
      : rate_(values[kScaledStepSize]),
        memory_(values[kMemory]),
        squares_(torch::ones({1, dim}, options)),
        one_(torch::ones({}, options)) {}

  ChainStep move(const ChainTarget& target, const torch::Tensor& x, bool adapts) override {
    const torch::NoGradGuard no_gradient;
    const torch::Tensor slope = target.potential(x).gradient;
    if (adapts) squares_.lerp_(slope.square().mean(0, true), 1 - memory_);
    torch::Tensor next = x.clone();
    langevin_step(next, slope, {.size = rate_ / (squares_.sqrt() + kFloor)}, torch::randn_like(x));
    return {.x = next, .acceptance = one_};
  }

  double step_size() const override { return rate_; }
  void visit(const VisitTensor& visit) override { visit("sampler.squares", squares_); }

 private:
  static constexpr double kFloor = 0.1;  // the slope of the base is about 1

  double rate_, memory_;
  torch::Tensor squares_, one_;
};

}  // namespace

extern const ChainSamplerRecord kLangevinSampler;
const ChainSamplerRecord kLangevinSampler{
    .name = "langevin",
    .summary = "Langevin dynamics as it is, without rejections: a bias that vanishes with the step",
    .citation = "Grenander, Miller 1994",
    .is_for_bits = false,
    .is_adjusted = false,
    .options = kLangevinOptions,
    .make = [](const OptionValues& values, std::int64_t, const torch::TensorOptions& options)
        -> std::unique_ptr<ChainSampler> { return std::make_unique<Langevin>(values, options); }};

extern const ChainSamplerRecord kPreconditionedSampler;
const ChainSamplerRecord kPreconditionedSampler{
    .name = "preconditioned",
    .summary = "Langevin dynamics with steps scaled by the size of slopes, as RMSProp",
    .citation = "Li, Chen, Carlson, Carin 2016",
    .is_for_bits = false,
    .is_adjusted = false,
    .options = kPreconditionedOptions,
    .make = [](const OptionValues& values, std::int64_t dim, const torch::TensorOptions& options)
        -> std::unique_ptr<ChainSampler> { return std::make_unique<Preconditioned>(values, dim, options); }};

}  // namespace kullback::deep
