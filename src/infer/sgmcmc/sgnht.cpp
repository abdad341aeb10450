// Stochastic-gradient Nose-Hoover thermostat (Ding et al. 2014): the friction xi is a variable that grows
// where momenta are too hot, and so takes up noise of gradients that nobody measured,
//   dx = p dt,   dp = (g - xi p) dt + sqrt(2 A) dW,   dxi = (p'p / dim - 1) dt,
// with A of --sg-friction, which xi starts at; its mean is A + e V / 2 for step size e and gradient noise of
// variance V. Euler's steps of the paper explode once e xi passes 2; the symmetric splitting of Leimkuhler
// and Shang (2016) does not, and has errors of second order in e: a kick p + e g, then of half a step each x
// + e/2 p and xi, all of friction and injected noise at once,
//   p <- a p + sqrt(A (1 - a^2) / xi) z,   a = exp(-e xi),
// and again xi and x. On a Gaussian without gradient noise it is exact up to what xi varies; stable while
// e^2 c < 4 for precision c. There is one friction for all coordinates, which balances the mean of their
// noise: with variances V_i and mean V the variance of coordinate i comes out
//   (A + e V_i / 2) / (A + e V / 2)
// times too large, or too small.
#include <array>
#include <cmath>

#include "infer/optimize/options.hpp"
#include "infer/sgmcmc/chain.hpp"
#include "infer/sgmcmc/momenta.hpp"
#include "infer/sgmcmc/options.hpp"
#include "infer/vi/options.hpp"

namespace kullback::infer {

namespace {

class Thermostat final : public MomentumDynamics {
 public:
  using MomentumDynamics::MomentumDynamics;

  void begin(const Surroundings& around, Random& random) override {
    MomentumDynamics::begin(around, random);
    xi_ = friction();
  }
  void restart(Random& random) override {
    MomentumDynamics::restart(random);
    xi_ = friction();
  }

  void update(const Move& move, Random& random, std::vector<double>& phi) override {
    const double e = move.step_size;
    double squares = 0;
    std::size_t count = 0;
    for_active(move, [&](std::size_t i) {
      double& p = momenta()[i];
      p += e * move.gradient[i];
      phi[i] += e / 2 * p;
      squares += p * p;
      ++count;
    });
    warm(e / 2, squares, count);
    const double keeps = std::exp(-e * xi_);
    const double noise = std::sqrt(friction() * fresh(e));
    squares = 0;
    for_active(move, [&](std::size_t i) {
      double& p = momenta()[i];
      p = keeps * p + noise * random.normal();
      phi[i] += e / 2 * p;
      squares += p * p;
    });
    warm(e / 2, squares, count);
  }

  double step_for(double share, const Surroundings& around) const override {
    return std::sqrt(2 * share / around.curvature);
  }
  // The thermostat keeps the temperature, with errors of second order.
  double step_for_noise(double excess, const Surroundings& around) const override {
    constexpr double kTolerates = 2;
    return kTolerates * MomentumDynamics::step_for_noise(excess, around);
  }
  Inflation inflation(double step_size, const Surroundings& around) const override {
    const double twice_friction = 2 * friction_of(options(), around);
    double mean = 0;
    for (const double variance : around.gradient_noise)
      mean += variance / static_cast<double>(around.gradient_noise.size());
    const double shared = step_size * mean / twice_friction;
    const double most = step_size * largest(around.gradient_noise) / twice_friction;
    return {step_size * step_size * around.curvature < 4 ? 0.0 : 1.0, (1 + most) / (1 + shared) - 1, shared};
  }

  void append_stats(std::vector<double>& stats) const override { stats.push_back(xi_); }

  void archive(Archive& archive) override {
    MomentumDynamics::archive(archive);
    archive.value(xi_);
  }

 private:
  void warm(double time, double squares, std::size_t count) {
    xi_ += time * (squares / static_cast<double>(count) - 1);
  }
  // (1 - exp(-2 e xi)) / xi
  double fresh(double e) const { return std::abs(e * xi_) < 1e-8 ? 2 * e : -std::expm1(-2 * e * xi_) / xi_; }

  double xi_ = 0;
};

constexpr const OptionRecord* kOptions[] = {
    &option::kWarmup,        &option::kDraws,        &option::kThin,          &option::kMetric,
    &option::kBatchSize,     &option::kSgStepSize,   &option::kSgSchedule,    &option::kSgDecay,
    &option::kSgDelay,       &option::kSgCycles,     &option::kSgExploration, &option::kSgAnchor,
    &option::kSgUpdates,     &option::kSgLogDensity, &option::kSgFriction,    &option::kHistory,
    &option::kMaxIterations, &option::kElboDraws,    &option::kTolObj,        &option::kTolRelObj,
    &option::kTolGrad,       &option::kTolRelGrad,   &option::kTolParam};
constexpr std::array<std::string_view, 2> kStats{"stepsize__", "friction__"};
constexpr std::array<Refusal, 5> kRefusals{
    Refusal{"row_sampling", kUniformRows}, Refusal{"row_control", kAnchorIsControl},
    Refusal{"step_size", "No warm-up adapts it: --sg-step-size sets it, and without it curvature decides."},
    Refusal{"sg_noise", "The thermostat takes up the noise of gradients by itself."},
    Refusal{
        "sg_preconditioner",
        "With momenta a preconditioner that changes needs corrections of friction and noise too; --metric "
        "dense is a fixed one, and sgld has RMSProp."}};

std::unique_ptr<Algorithm> make_sgnht(density::LogDensity& density, const Options& options, Start start) {
  return make_sg_chain(density, options, std::move(start), std::make_unique<Thermostat>(options));
}

}  // namespace

const Method& sgnht_method() {
  static const Method method{
      .name = "sgnht",
      .summary = "sghmc with a thermostat that takes up the noise of minibatches",
      .use_when = "As sghmc, where the noise of minibatches is large and no anchor takes it away.",
      .citation =
          "Ding, Fang, Babbush, Chen, Skeel, Neven (2014), Bayesian Sampling Using Stochastic Gradient "
          "Thermostats; Leimkuhler and Shang (2016), Adaptive Thermostats for Noisy Gradient Systems",
      .is_exact = false,
      .options = kOptions,
      .stats = kStats,
      .make = make_sgnht,
      .refusals = kRefusals,
  };
  return method;
}

}  // namespace kullback::infer
