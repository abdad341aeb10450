// Stochastic-gradient Nose-Hoover thermostat (Ding et al. 2014): the friction xi is a variable that grows
// where momenta are too hot, and so takes up noise of gradients that nobody measured,
//   p <- p + e g - e xi p + sqrt(2 A e) z,   x <- x + e p,   xi <- xi + e (p'p / dim - 1),
// with A of --sg-friction, which xi starts at; its mean is A + e V / 2 for gradient noise of variance V. What
// is left of the bias is that of sghmc by discretisation, and what one thermostat cannot do for coordinates
// that differ in their noise.
#include <array>
#include <cmath>

#include "infer/sgmcmc/chain.hpp"
#include "infer/sgmcmc/momenta.hpp"

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
    const double noise = std::sqrt(2 * friction() * e);
    double squares = 0;
    std::size_t count = 0;
    for_active(move, [&](std::size_t i) {
      double& p = momenta()[i];
      p += e * (move.gradient[i] - xi_ * p) + noise * random.normal();
      phi[i] += e * p;
      squares += p * p;
      ++count;
    });
    xi_ += e * (squares / static_cast<double>(count) - 1);
  }

  // The thermostat keeps temperatures: half of the friction may be gradient noise.
  double step_for_noise(double excess, const Surroundings& around) const override {
    constexpr double kTolerates = 10;
    return kTolerates * MomentumDynamics::step_for_noise(excess, around);
  }
  Inflation inflation(double step_size, const Surroundings& around) const override {
    return {MomentumDynamics::inflation(step_size, around).share, 0};
  }

  void append_stats(std::vector<double>& stats) const override { stats.push_back(xi_); }

  void archive(Archive& archive) override {
    MomentumDynamics::archive(archive);
    archive.value(xi_);
  }

 private:
  double xi_ = 0;
};

constexpr std::array<std::string_view, 23> kOptions{
    "warmup",      "draws",          "thin",        "metric",       "batch_size",     "sg_step_size",
    "sg_schedule", "sg_decay",       "sg_delay",    "sg_cycles",    "sg_exploration", "sg_anchor",
    "sg_updates",  "sg_log_density", "sg_friction", "history",      "max_iterations", "elbo_draws",
    "tol_obj",     "tol_rel_obj",    "tol_grad",    "tol_rel_grad", "tol_param"};
constexpr std::array<std::string_view, 2> kStats{"stepsize__", "friction__"};
constexpr std::array<Refusal, 3> kRefusals{
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
          "Thermostats",
      .is_exact = false,
      .options = kOptions,
      .stats = kStats,
      .make = make_sgnht,
      .refusals = kRefusals,
  };
  return method;
}

}  // namespace kullback::infer
