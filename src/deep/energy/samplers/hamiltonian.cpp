// Hamiltonian Monte Carlo with a fixed number of leapfrogs, and with one of them the Metropolis-adjusted
// Langevin algorithm (Roberts, Tweedie 1996). All chains have one step size e (a proposal of MALA goes by
// e^2 / 2 along the gradient); while it adapts, log e follows the acceptance towards its target.
#include "deep/chains/hamiltonian.hpp"

#include <cmath>

#include "deep/counts.hpp"
#include "deep/energy/chain_sampler.hpp"

namespace kullback::deep {

namespace {

constexpr auto kStepSize = NumberOption("step_size", 0.1, "Of the chains, at first").above(0);
constexpr auto target_accept(double preset) {
  return NumberOption("target_accept", preset, "Mean acceptance that the step size is adapted to")
      .above(0)
      .below(1);
}
constexpr auto kMalaAccept = target_accept(0.6);
constexpr auto kHmcAccept = target_accept(0.8);
constexpr auto kLeapfrogs = CountOption("leapfrogs", 5, "Steps of a trajectory").from(1).to(100'000);
constexpr const OptionRecord* kMalaOptions[] = {&kStepSize, &kMalaAccept};
constexpr const OptionRecord* kHmcOptions[] = {&kStepSize, &kHmcAccept, &kLeapfrogs};

constexpr double kGain = 0.1;  // of log e
constexpr double kLongest = 2, kShortest = 1e-6;

class Hamiltonian final : public ChainSampler {
 public:
  Hamiltonian(std::int64_t leapfrogs, double first_step, double target, const torch::TensorOptions& options)
      : leapfrogs_(leapfrogs),
        target_(target),
        log_step_(torch::full({}, std::log(first_step), options)),
        one_(torch::ones({1, 1}, options)) {}

  ChainStep move(const ChainTarget& target, const torch::Tensor& x, bool adapts) override {
    const torch::NoGradGuard no_gradient;
    const Transition made =
        hamiltonian_transition([&](const torch::Tensor& at) { return target.potential(at); }, x,
                               {.momentum = torch::randn_like(x),
                                .inverse_mass = one_,
                                .step = log_step_.exp(),
                                .leapfrogs = {},
                                .most = leapfrogs_,
                                .uniform = torch::rand({x.size(0), 1}, x.options().dtype(torch::kFloat64))});
    const torch::Tensor acceptance = made.acceptance.mean();
    if (adapts)
      log_step_.add_(kGain * (acceptance - target_)).clamp_(std::log(kShortest), std::log(kLongest));
    return {.x = at::where(made.is_accepted, made.end, x), .acceptance = acceptance};
  }

  double step_size() const override { return std::exp(log_step_.item<double>()); }
  void visit(const VisitTensor& visit) override { visit("sampler.log_step", log_step_); }

 private:
  std::int64_t leapfrogs_;
  double target_;
  torch::Tensor log_step_, one_;
};

}  // namespace

extern const ChainSamplerRecord kMalaSampler;
const ChainSamplerRecord kMalaSampler{
    .name = "mala",
    .summary = "Langevin dynamics with each step accepted or rejected, which makes it exact",
    .citation = "Roberts, Tweedie 1996",
    .is_for_bits = false,
    .is_adjusted = true,
    .options = kMalaOptions,
    .make = [](const OptionValues& values, std::int64_t,
               const torch::TensorOptions& options) -> std::unique_ptr<ChainSampler> {
      return std::make_unique<Hamiltonian>(1, values[kStepSize], values[kMalaAccept], options);
    }};

extern const ChainSamplerRecord kHmcSampler;
const ChainSamplerRecord kHmcSampler{
    .name = "hmc",
    .summary = "Hamiltonian Monte Carlo: several steps along a trajectory, accepted or rejected at its end",
    .citation = "Duane, Kennedy, Pendleton, Roweth 1987",
    .is_for_bits = false,
    .is_adjusted = true,
    .options = kHmcOptions,
    .make = [](const OptionValues& values, std::int64_t,
               const torch::TensorOptions& options) -> std::unique_ptr<ChainSampler> {
      return std::make_unique<Hamiltonian>(count_of(values, kLeapfrogs), values[kStepSize],
                                           values[kHmcAccept], options);
    }};

}  // namespace kullback::deep
