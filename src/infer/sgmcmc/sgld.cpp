// Stochastic-gradient Langevin dynamics (Welling and Teh 2011), with h the step size and g the gradient:
//   x <- x + h g + sqrt(2 h) z
// and with a preconditioner G (Li et al. 2016; see rmsprop.cpp)
//   x <- x + h (G g + dG/dx) + sqrt(2 h G) z.
// On a Gaussian with precision c and gradient noise of variance V the update is an autoregression with
//   variance (2 h + h^2 V) / (2 h c - h^2 c^2) = (1 + h V / 2) / (1 - h c / 2) / c:
// the bias is of first order in h. `corrected` noise has variance 2 h - h^2 V (Vollmer, Zygalakis, Teh 2016).
// Throughout, h is twice as large in papers that write h / 2 before the gradient.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/error.hpp"
#include "infer/optimize/options.hpp"
#include "infer/sgmcmc/chain.hpp"
#include "infer/sgmcmc/dynamics.hpp"
#include "infer/sgmcmc/options.hpp"
#include "infer/sgmcmc/rmsprop.hpp"
#include "infer/vi/options.hpp"

namespace kullback::infer {

namespace {

class Langevin final : public Dynamics {
 public:
  explicit Langevin(const Options& options)
      : is_corrected_(options[option::kSgNoise] == SgNoise::corrected),
        has_divergence_(options[option::kSgPreconditioner] == SgPreconditioner::rmsprop) {
    if (options[option::kSgPreconditioner] != SgPreconditioner::none) preconditioner_.emplace(options);
  }

  void begin(const Surroundings& around, Random& /*random*/) override {
    noise_ = around.gradient_noise;
    if (!preconditioner_) return;
    std::vector<double> squares(around.sd.size());
    for (std::size_t i = 0; i < squares.size(); ++i)
      squares[i] = 1 / (around.sd[i] * around.sd[i]) + around.gradient_noise[i];
    preconditioner_->begin(squares);
  }

  void update(const Move& move, Random& random, std::vector<double>& phi) override {
    const double h = move.step_size;
    for_active(move, [&](std::size_t i) {
      const double g = move.gradient[i];
      const double scale = preconditioner_ ? preconditioner_->at(i) : 1.0;
      double drift = scale * g;
      if (has_divergence_) drift += preconditioner_->derivative(i);
      const double brought = is_corrected_ ? h * h * scale * scale * noise_[i] : 0.0;
      phi[i] += h * drift + std::sqrt(remaining(2 * h * scale, brought)) * random.normal();
      if (preconditioner_) preconditioner_->learn(i, g, has_divergence_ ? move.hessian_diagonal[i] : 0.0);
    });
  }

  bool wants_hessian() const override { return has_divergence_; }

  double step_for(double share, const Surroundings& around) const override {
    return 2 * share / (largest_scale(around) * around.curvature);
  }
  double step_for_noise(double excess, const Surroundings& around) const override {
    return 2 * excess / (largest_scale(around) * largest(around.gradient_noise));
  }
  Inflation inflation(double step_size, const Surroundings& around) const override {
    const double h = step_size * largest_scale(around);
    const double noise = is_corrected_ ? 0.0 : largest(around.gradient_noise);
    return {h * around.curvature / 2, h * noise / 2};
  }
  double scaled(double step_size, double factor) const override { return step_size * factor; }
  double time_of(double step_size) const override { return step_size; }
  double relaxation(double sd) const override { return sd * sd; }

  void archive(Archive& archive) override {
    archive.value(noise_);
    if (preconditioner_) preconditioner_->archive(archive);
  }

 private:
  // Of the preconditioner at its start, relative to which the step size acts.
  double largest_scale(const Surroundings& around) const {
    if (!preconditioner_) return 1;
    RmsProp start = *preconditioner_;
    std::vector<double> squares(around.sd.size());
    for (std::size_t i = 0; i < squares.size(); ++i)
      squares[i] = 1 / (around.sd[i] * around.sd[i]) + around.gradient_noise[i];
    start.begin(squares);
    double result = 0;
    for (std::size_t i = 0; i < squares.size(); ++i) result = std::max(result, start.at(i));
    return result;
  }

  bool is_corrected_;
  bool has_divergence_;
  std::optional<RmsProp> preconditioner_;
  std::vector<double> noise_;
};

constexpr const OptionRecord* kOptions[] = {
    &option::kWarmup,     &option::kDraws,      &option::kThin,          &option::kMetric,
    &option::kBatchSize,  &option::kSgStepSize, &option::kSgSchedule,    &option::kSgDecay,
    &option::kSgDelay,    &option::kSgCycles,   &option::kSgExploration, &option::kSgAnchor,
    &option::kSgNoise,    &option::kSgUpdates,  &option::kSgLogDensity,  &option::kSgPreconditioner,
    &option::kSgRmsDecay, &option::kSgRmsFloor, &option::kHistory,       &option::kMaxIterations,
    &option::kElboDraws,  &option::kTolObj,     &option::kTolRelObj,     &option::kTolGrad,
    &option::kTolRelGrad, &option::kTolParam};
constexpr std::array<std::string_view, 1> kStats{"stepsize__"};
constexpr std::array<Refusal, 4> kRefusals{
    Refusal{"row_sampling", kUniformRows}, Refusal{"row_control", kAnchorIsControl},
    Refusal{"step_size", "No warm-up adapts it: --sg-step-size sets it, and without it curvature decides."},
    Refusal{"sg_friction", "Friction is of momenta, which sghmc and sgnht have."}};

void check(const Options& options) {
  const bool has_setting =
      !options.is_default(option::kSgRmsDecay) || !options.is_default(option::kSgRmsFloor);
  if (has_setting && options[option::kSgPreconditioner] == SgPreconditioner::none) {
    throw Error(ErrorKind::usage, "--sg-rms-decay and --sg-rms-floor are read by RMSProp alone.",
                "Add `--sg-preconditioner rmsprop`.");
  }
}

std::unique_ptr<Algorithm> make_sgld(density::LogDensity& density, const Options& options, Start start) {
  check(options);
  return make_sg_chain(density, options, std::move(start), std::make_unique<Langevin>(options));
}

}  // namespace

const Method& sgld_method() {
  static const Method method{
      .name = "sgld",
      .summary = "Langevin dynamics on minibatches, with control variates where there are rows",
      .use_when =
          "The data have so many rows that a gradient of all is slow; variances come out some per cent too "
          "large, which a smaller --sg-step-size mends.",
      .citation =
          "Welling and Teh (2011), Bayesian Learning via Stochastic Gradient Langevin Dynamics; Baker, "
          "Fearnhead, Fox, Nemeth (2019), Control variates for stochastic gradient MCMC",
      .is_exact = false,
      .options = kOptions,
      .stats = kStats,
      .make = make_sgld,
      .refusals = kRefusals,
  };
  return method;
}

}  // namespace kullback::infer
