// Stochastic-gradient Hamiltonian Monte Carlo (Chen, Fox, Guestrin 2014): Langevin dynamics with momenta,
// unit mass, friction C, step size e and gradient g:
//   p <- p + e g - e C p + sqrt(2 C e) z,   x <- x + e p.
// In the paper's other form v = e p, with learning rate e^2 and 1 - momentum a = C e.
// On a Gaussian with precision c and gradient noise of variance V, positions are an autoregression of second
// order, x'' = (2 - a - k) x' - (1 - a) x + w, with k = e^2 c and var w = e^2 (2 C e + e^2 V), so that
//   variance (1 + e V / 2C) / (1 - k / (2 (2 - a))) / c:
// the bias by discretisation is of second order in e, the one by gradient noise of first. `corrected` noise
// has variance 2 C e - e^2 V: the paper's estimate B = e V / 2.
#include <array>
#include <cmath>

#include "infer/optimize/options.hpp"
#include "infer/sgmcmc/chain.hpp"
#include "infer/sgmcmc/momenta.hpp"
#include "infer/sgmcmc/options.hpp"
#include "infer/vi/options.hpp"

namespace kullback::infer {

namespace {

class Underdamped final : public MomentumDynamics {
 public:
  explicit Underdamped(const Options& options)
      : MomentumDynamics(options), is_corrected_(options[option::kSgNoise] == SgNoise::corrected) {}

  void update(const Move& move, Random& random, std::vector<double>& phi) override {
    const double e = move.step_size;
    for_active(move, [&](std::size_t i) {
      const double brought = is_corrected_ ? e * e * noise()[i] : 0.0;
      double& p = momenta()[i];
      p += e * (move.gradient[i] - friction() * p) +
           std::sqrt(remaining(2 * friction() * e, brought)) * random.normal();
      phi[i] += e * p;
    });
  }

  Inflation inflation(double step_size, const Surroundings& around) const override {
    Inflation result = MomentumDynamics::inflation(step_size, around);
    if (is_corrected_) result.noise = 0;
    return result;
  }

 private:
  bool is_corrected_;
};

constexpr const OptionRecord* kOptions[] = {
    &option::kWarmup,    &option::kDraws,         &option::kThin,          &option::kMetric,
    &option::kBatchSize, &option::kSgStepSize,    &option::kSgSchedule,    &option::kSgDecay,
    &option::kSgDelay,   &option::kSgCycles,      &option::kSgExploration, &option::kSgAnchor,
    &option::kSgNoise,   &option::kSgUpdates,     &option::kSgLogDensity,  &option::kSgFriction,
    &option::kHistory,   &option::kMaxIterations, &option::kElboDraws,     &option::kTolObj,
    &option::kTolRelObj, &option::kTolGrad,       &option::kTolRelGrad,    &option::kTolParam};
constexpr std::array<std::string_view, 1> kStats{"stepsize__"};
constexpr std::array<Refusal, 4> kRefusals{
    Refusal{"row_sampling", kUniformRows}, Refusal{"row_control", kAnchorIsControl},
    Refusal{"step_size", "No warm-up adapts it: --sg-step-size sets it, and without it curvature decides."},
    Refusal{
        "sg_preconditioner",
        "With momenta a preconditioner that changes needs corrections of friction and noise too; --metric "
        "dense is a fixed one, and sgld has RMSProp."}};

std::unique_ptr<Algorithm> make_sghmc(density::LogDensity& density, const Options& options, Start start) {
  return make_sg_chain(density, options, std::move(start), std::make_unique<Underdamped>(options));
}

}  // namespace

const Method& sghmc_method() {
  static const Method method{
      .name = "sghmc",
      .summary = "Hamiltonian dynamics with friction on minibatches; no rejections",
      .use_when =
          "As sgld, where directions differ in scale or the bias of sgld's step size is too large: it falls "
          "with the square of the step size here.",
      .citation = "Chen, Fox, Guestrin (2014), Stochastic Gradient Hamiltonian Monte Carlo",
      .is_exact = false,
      .options = kOptions,
      .stats = kStats,
      .make = make_sghmc,
      .refusals = kRefusals,
  };
  return method;
}

}  // namespace kullback::infer
