// Phases: an L-BFGS path, whose Gaussian with the largest ELBO gives centre, anchor and coordinates; where
// the path has come to a mode and coordinates are few, the Gaussian of the Hessian there instead; the largest
// curvature; the variance of minibatch gradients at draws from the Gaussian; iterations of
// several updates each. A step size that nobody gave has a tenth of the largest curvature's stability limit,
// and no more than a tenth of the injected noise from minibatches.
#include "infer/sgmcmc/chain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/error.hpp"
#include "base/random.hpp"
#include "infer/mcmc/hamiltonian_chain.hpp"
#include "infer/optimize/hessian.hpp"
#include "infer/optimize/path.hpp"
#include "infer/optimize/points.hpp"
#include "infer/sgmcmc/coordinates.hpp"
#include "infer/sgmcmc/curvature.hpp"
#include "infer/sgmcmc/gradient_source.hpp"
#include "infer/sgmcmc/laplace_guess.hpp"
#include "infer/sgmcmc/options.hpp"
#include "infer/sgmcmc/schedule.hpp"
#include "infer/vi/guess.hpp"

namespace kullback::infer {

namespace {

constexpr std::size_t kMaxDense = 500;
constexpr std::size_t kMaxHessian = 100;
constexpr double kSmallGain = 1e-3;  // of the log density: then the path has come near enough to a mode
constexpr double kShare = 0.1;       // of the stability limit
constexpr double kPeakShare = 0.95;  // of a cycle's largest step: variances are 20 times too large there
constexpr double kNoiseExcess = 0.1;
constexpr double kCorrectedExcess = 0.5;
constexpr std::uint64_t kProbes = 128;
constexpr std::uint64_t kMostUpdates = 50;
constexpr std::uint32_t kProbeBatches = 1U << 30;  // names of minibatches beyond those of updates
constexpr std::uint64_t kMostFailures = 3;         // in a row
constexpr double kTellsOf = 0.25;                  // relative excess of a variance

class SgChain final : public Algorithm {
 public:
  SgChain(density::LogDensity& density, const Options& options, Start start,
          std::unique_ptr<Dynamics> dynamics)
      : density_(density),
        options_(options),
        start_(std::move(start)),
        schedule_(options),
        source_(density, options, {start_.seed, start_.chain, 0}),
        dynamics_(std::move(dynamics)),
        hessian_(density.dim()) {
    if (options[option::kSgNoise] == SgNoise::corrected && !source_.has_minibatches()) {
      throw Error(ErrorKind::usage,
                  "`--sg-noise corrected` allows for the noise of minibatches, and there are none: " +
                      source_.why_no_minibatches() + ".",
                  "Give --batch-size, or leave --sg-noise out.");
    }
    if (options[option::kMetric] == Metric::dense && source_.has_row_coordinates()) {
      throw Error(
          ErrorKind::usage,
          "`--metric dense` mixes coordinates that belong to single rows, which move only with their rows.",
          "Use `--metric diagonal`.");
    }
    if (density.dim() == 0)
      phase_ = Phase::sampling;
    else
      begin_path();
  }

  bool step(Draws& draws) override {
    switch (phase_) {
      case Phase::climbing: climb(); return true;
      case Phase::shaping: shape(); return true;
      case Phase::curving: curve(); return true;
      case Phase::sampling: break;
    }
    if (iteration_ == schedule_.iterations()) return false;
    iterate(draws);
    return true;
  }

  Progress progress() const override;
  void archive(Archive& archive) override;
  std::optional<Adaptation> adaptation() const override;
  Findings findings() const override;
  Facts facts() const override;

 private:
  enum class Phase : std::uint64_t { climbing, shaping, curving, sampling };

  void begin_path() { path_.emplace(density_, options_, PathName{start_.seed, start_.chain}, start_.theta); }
  bool is_near_mode() const { return path_->has_gaussian() && path_->lbfgs().expected_gain() < kSmallGain; }
  void climb();
  void shape();
  void set_coordinates();
  void curve();
  void probe();
  void choose_step_size();
  void begin_sampling();
  std::vector<double> gaussian_draw(Random& random) const;
  void iterate(Draws& draws);
  void recover(Random& random);
  std::vector<double> hessian_diagonal(const std::vector<double>& theta, Random& random);
  void keep(Draws& draws);
  double step_size_now(std::uint64_t u) const {
    return dynamics_->scaled(step_size_, schedule_.factor(iteration_, u, updates_));
  }
  Random stream(Purpose purpose, std::uint64_t index) const {
    return Random(start_.seed, start_.chain, static_cast<std::uint32_t>(purpose),
                  static_cast<std::uint32_t>(index));
  }
  void find_bias(Findings& findings) const;
  std::string noise_text() const;

  density::LogDensity& density_;
  Options options_;
  Start start_;
  Schedule schedule_;
  GradientSource source_;
  std::unique_ptr<Dynamics> dynamics_;
  Phase phase_ = Phase::climbing;
  std::optional<Path> path_;  // while climbing
  Hessian hessian_;           // where it is wanted
  GaussianGuess guess_;
  bool has_gaussian_ = false;
  std::uint64_t path_gradients_ = 0;
  std::uint64_t full_densities_ = 0;  // evaluations without gradient
  Coordinates coordinates_;
  LargestCurvature curvature_;
  Surroundings around_;
  double step_size_ = 0;
  std::uint64_t updates_ = 1;  // of an iteration
  std::uint64_t iteration_ = 0;
  std::vector<double> phi_;
  std::vector<double> last_phi_;  // before the last update
  std::uint64_t failures_ = 0;
  std::uint64_t failures_in_a_row_ = 0;
};

void SgChain::climb() {
  const bool has_mode = is_near_mode();
  if (!has_mode && path_->step()) return;
  const std::size_t dim = density_.dim();
  has_gaussian_ = path_->has_gaussian();
  path_gradients_ = path_->lbfgs().gradients();
  full_densities_ = path_->evaluations();
  guess_ = has_gaussian_ ? guess_of(path_->gaussian())
                         : GaussianGuess{path_->lbfgs().theta(), std::vector<double>(dim, 1.0), {}};
  const bool has_converged = has_mode || is_convergence(path_->lbfgs().stop());
  path_.reset();
  if (has_gaussian_ && has_converged && dim <= kMaxHessian)
    phase_ = Phase::shaping;
  else
    set_coordinates();
}

void SgChain::shape() {
  source_.see_all();
  const bool is_finite = hessian_.advance(density_, guess_.mean);
  if (is_finite && !hessian_.is_complete()) return;
  if (is_finite) {
    if (auto laplace = laplace_guess(density_, hessian_, guess_.mean)) guess_ = std::move(*laplace);
    ++path_gradients_;  // of the Newton step
  }
  set_coordinates();
}

void SgChain::set_coordinates() {
  coordinates_ = Coordinates(options_[option::kMetric], guess_);
  Random random = stream(Purpose::sg_start, 0);
  std::vector<double> direction(density_.dim());
  for (double& x : direction) x = random.normal();
  curvature_ = LargestCurvature(std::move(direction));
  phase_ = Phase::curving;
}

void SgChain::curve() {
  source_.see_all();
  if (curvature_.step(density_, coordinates_)) return;
  around_.sd = coordinates_.sd();
  const double smallest = *std::min_element(around_.sd.begin(), around_.sd.end());
  around_.curvature = curvature_.has_failed() ? 1 / (smallest * smallest) : curvature_.value();
  source_.set_anchor(coordinates_.centre());
  probe();
  choose_step_size();
  begin_sampling();
  source_.see_all();
  phase_ = Phase::sampling;
}

std::vector<double> SgChain::gaussian_draw(Random& random) const {
  std::vector<double> draw = guess_.mean;
  if (!has_gaussian_) return draw;
  const std::size_t dim = draw.size();
  for (std::size_t j = 0; j < dim; ++j) {
    const double z = random.normal();
    if (guess_.lower.empty()) draw[j] += guess_.sd[j] * z;
    for (std::size_t i = j; i < dim && !guess_.lower.empty(); ++i) draw[i] += guess_.lower[j * dim + i] * z;
  }
  return draw;
}

// Half the squared difference of two minibatches' gradients at the same point has their variance as its mean.
void SgChain::probe() {
  const std::size_t dim = density_.dim();
  around_.gradient_noise.assign(dim, 0.0);
  if (!source_.has_minibatches()) return;
  double count = 0;
  std::vector<double> difference(dim), one, other;
  for (std::uint64_t k = 0; k < kProbes; ++k) {
    Random random = stream(Purpose::sg_probe, k);
    const std::vector<double> theta = gaussian_draw(random);
    const auto name = kProbeBatches + static_cast<std::uint32_t>(2 * k);
    if (!source_.at(name, theta, one) || !source_.at(name + 1, theta, other)) continue;
    if (source_.has_row_coordinates()) {  // exact, or not there at all
      for (std::size_t i = 0; i < dim; ++i) {
        if (!source_.is_shared(i)) other[i] = one[i];
      }
    }
    for (std::size_t i = 0; i < dim; ++i) difference[i] = one[i] - other[i];
    coordinates_.pull_back(difference, difference);
    for (std::size_t i = 0; i < dim; ++i) around_.gradient_noise[i] += 0.5 * difference[i] * difference[i];
    ++count;
  }
  for (double& variance : around_.gradient_noise) variance /= std::max(1.0, count);
}

void SgChain::choose_step_size() {
  const double cautious = dynamics_->step_for(kShare, around_);
  step_size_ = schedule_.is_cyclical() ? dynamics_->step_for(kPeakShare, around_) : cautious;
  if (largest(around_.gradient_noise) > 0) {
    const double excess = options_[option::kSgNoise] == SgNoise::corrected ? kCorrectedExcess : kNoiseExcess;
    const double quiet = dynamics_->step_for_noise(excess, around_);
    step_size_ = std::min(step_size_, dynamics_->scaled(quiet, 1 / schedule_.largest_kept()));
  }
  if (options_[option::kSgStepSize] > 0) step_size_ = options_[option::kSgStepSize];
  updates_ = options_[option::kSgUpdates];
  if (updates_ > 0) return;
  const double sd = largest(around_.sd);
  const double kept = dynamics_->scaled(step_size_, schedule_.largest_kept());
  const double passes = source_.has_row_coordinates()
                            ? static_cast<double>(source_.rows()) / static_cast<double>(source_.batch_size())
                            : 1.0;
  const double wanted = std::ceil(passes * dynamics_->relaxation(sd) / dynamics_->time_of(kept));
  updates_ = static_cast<std::uint64_t>(std::clamp(wanted, 1.0, static_cast<double>(kMostUpdates)));
}

void SgChain::begin_sampling() {
  if (schedule_.iterations() >= kProbeBatches / updates_) {
    throw Error(ErrorKind::usage,
                fmt::format("{} iterations of {} updates are more than the {} that a chain can have.",
                            schedule_.iterations(), updates_, kProbeBatches),
                "Use fewer --draws, with more chains.");
  }
  Random random = stream(Purpose::sg_start, 1);
  std::vector<double> theta = gaussian_draw(random);
  std::vector<double> gradient;
  if (!source_.at(kProbeBatches + static_cast<std::uint32_t>(2 * kProbes), theta, gradient))
    theta = coordinates_.centre();
  phi_ = coordinates_.phi_of(theta);
  last_phi_ = phi_;
  dynamics_->begin(around_, random);
}

void SgChain::iterate(Draws& draws) {
  if (density_.dim() > 0) {
    for (std::uint64_t u = 0; u < updates_; ++u) {
      Random random = stream(Purpose::transition, iteration_ * updates_ + u);
      const std::vector<double> theta = coordinates_.theta_of(phi_);
      std::vector<double> gradient;
      const auto name = static_cast<std::uint32_t>(iteration_ * updates_ + u);
      if (!source_.at(name, theta, gradient)) {
        recover(random);
        continue;
      }
      failures_in_a_row_ = 0;
      std::vector<double> diagonal;
      if (dynamics_->wants_hessian()) diagonal = hessian_diagonal(theta, random);
      coordinates_.pull_back(gradient, gradient);
      last_phi_ = phi_;
      dynamics_->update({step_size_now(u), gradient, diagonal, source_.active()}, random, phi_);
    }
  }
  source_.see_all();
  if (schedule_.is_kept(iteration_)) keep(draws);
  ++iteration_;
}

// Signs v: the mean of v (H v) is the diagonal. Where a difference cannot be taken, no curvature is known.
std::vector<double> SgChain::hessian_diagonal(const std::vector<double>& theta, Random& random) {
  std::vector<double> signs(theta.size());
  for (double& sign : signs) sign = random.uniform() < 0.5 ? -1.0 : 1.0;
  std::vector<double> result;
  if (!source_.hessian_times(theta, coordinates_.forward(signs), result))
    return std::vector<double>(theta.size(), 0.0);
  coordinates_.pull_back(result, result);
  for (std::size_t i = 0; i < result.size(); ++i) result[i] *= signs[i];
  return result;
}

// Back to where the gradient was finite; where the next update fails again, to the centre.
void SgChain::recover(Random& random) {
  if (!schedule_.is_warming_up(iteration_)) ++failures_;
  ++failures_in_a_row_;
  if (failures_in_a_row_ > kMostFailures) {
    throw Error(ErrorKind::bad_input,
                "the gradient is not finite at the centre of the chain: " + density_.message(),
                "Give other starting values with --init, or `--sg-anchor none`.");
  }
  if (failures_in_a_row_ == 1)
    phi_ = last_phi_;
  else
    std::fill(phi_.begin(), phi_.end(), 0.0);
  dynamics_->restart(random);
}

void SgChain::keep(Draws& draws) {
  const std::vector<double> theta = coordinates_.theta_of(phi_);
  draws.dim = theta.size();
  draws.theta.insert(draws.theta.end(), theta.begin(), theta.end());
  double log_density = std::numeric_limits<double>::quiet_NaN();
  if (options_[option::kSgLogDensity] == SgLogDensity::full) {
    log_density = log_densities(density_, theta, 1).front();
    ++full_densities_;
  }
  draws.log_density.push_back(log_density);
  draws.stats.push_back(step_size_now(updates_ - 1));
  dynamics_->append_stats(draws.stats);
}

Progress SgChain::progress() const {
  return {.done = iteration_,
          .total = schedule_.iterations(),
          .is_warming_up = phase_ != Phase::sampling || schedule_.is_warming_up(iteration_),
          .gradients = (path_ ? path_->lbfgs().gradients() : path_gradients_) + hessian_.gradients() +
                       curvature_.gradients() + source_.cost(),
          .divergences = failures_};
}

void SgChain::archive(Archive& archive) {
  auto phase = static_cast<std::uint64_t>(phase_);
  archive.value(phase);
  phase_ = static_cast<Phase>(phase);
  bool has_path = path_.has_value();
  archive.value(has_path);
  if (archive.is_reading() && has_path) begin_path();
  if (!has_path) path_.reset();
  if (path_) path_->archive(archive);
  hessian_.archive(archive);
  archive.value(guess_.mean);
  archive.value(guess_.sd);
  archive.value(guess_.lower);
  archive.value(has_gaussian_);
  archive.value(path_gradients_);
  archive.value(full_densities_);
  coordinates_.archive(archive);
  curvature_.archive(archive);
  archive.value(around_.sd);
  archive.value(around_.curvature);
  archive.value(around_.gradient_noise);
  archive.value(step_size_);
  archive.value(updates_);
  archive.value(iteration_);
  archive.value(phi_);
  archive.value(last_phi_);
  archive.value(failures_);
  archive.value(failures_in_a_row_);
  source_.archive(archive);
  dynamics_->archive(archive);
}

std::optional<Adaptation> SgChain::adaptation() const {
  if (phase_ != Phase::sampling) return std::nullopt;
  return Adaptation{dynamics_->scaled(step_size_, schedule_.last()), coordinates_.metric(),
                    coordinates_.inv_metric()};
}

std::string SgChain::noise_text() const {
  if (!source_.has_minibatches()) return "none";
  const std::string text = fmt::format("variances up to {:.3g}", largest(around_.gradient_noise));
  return options_[option::kSgNoise] == SgNoise::corrected ? text + ", corrected for" : text;
}

void SgChain::find_bias(Findings& findings) const {
  const double kept = dynamics_->scaled(step_size_, schedule_.largest_kept());
  const Dynamics::Inflation inflation = dynamics_->inflation(kept, around_);
  if (inflation.share >= 1) {
    findings.push_back({"unstable-step-size", "The step size is too large for the curvature at the mode.",
                        fmt::format("Step size {:.3g}; with curvature {:.3g} a Gaussian has no stationary "
                                    "distribution.",
                                    kept, around_.curvature),
                        "Give a smaller --sg-step-size, or none."});
  } else if (inflation.variance() > 1 + kTellsOf) {
    findings.push_back(
        {"discretisation", "Variances are too large by the step size.",
         fmt::format(
             "For a Gaussian, {:.0f} % where curvature is largest: step size {:.3g}, curvature {:.3g}, "
             "noise of minibatches {:.0f} % of what is injected.",
             100 * (inflation.variance() - 1), kept, around_.curvature, 100 * inflation.noise),
         "Give a smaller --sg-step-size, a larger --batch-size, or `--sg-anchor mode`."});
  }
}

Findings SgChain::findings() const {
  Findings result;
  if (phase_ != Phase::sampling || density_.dim() == 0) return result;
  if (!has_gaussian_) {
    result.push_back({"no-gaussian", "No Gaussian was found along the path to the mode; scales are unknown.",
                      "Step sizes take each coordinate's scale as 1.",
                      "Give starting values with --init, and --sg-step-size."});
  }
  if (options_[option::kMetric] == Metric::dense && coordinates_.metric() != Metric::dense && has_gaussian_) {
    result.push_back({"metric-diagonal",
                      "The path's covariance has no Cholesky factor; the metric is diagonal.", "",
                      "Use `--metric diagonal`."});
  }
  if (failures_ > 0) {
    result.push_back(
        {"divergences", "Updates led where the gradient is not finite, and were taken back.",
         fmt::format(
             "{} of {} after warm-up, in one chain.", failures_,
             (iteration_ - std::min<std::uint64_t>(iteration_, options_[option::kWarmup])) * updates_),
         "Give a smaller --sg-step-size."});
  }
  find_bias(result);
  if (options_[option::kSgPreconditioner] == SgPreconditioner::rmsprop_biased) {
    result.push_back(
        {"biased-preconditioner",
         "The preconditioner changes with the position and is not corrected for: no step size makes "
         "the draws right.",
         "The term left out is the derivative of the preconditioner.",
         "`--sg-preconditioner rmsprop` has it, for six times the gradients."});
  }
  return result;
}

Facts SgChain::facts() const {
  if (phase_ != Phase::sampling || density_.dim() == 0) return {};
  const double kept = dynamics_->scaled(step_size_, schedule_.largest_kept());
  const Dynamics::Inflation inflation = dynamics_->inflation(kept, around_);
  Facts result{{"step size", fmt::format("{:.4g}", step_size_)},
               {"updates of an iteration", fmt::format("{}", updates_)},
               {"largest curvature", fmt::format("{:.4g}", around_.curvature)},
               {"gradient noise", noise_text()},
               {"predicted excess of variances",
                inflation.share < 1 ? fmt::format("{:.1f} %", 100 * (inflation.variance() - 1)) : "unstable"},
               {"of that by noise of gradients", fmt::format("{:.1f} %", 100 * inflation.noise)}};
  if (inflation.taken_up > 0)
    result.emplace_back("taken up by the thermostat", fmt::format("{:.1f} %", 100 * inflation.taken_up));
  if (source_.has_minibatches()) {
    result.emplace_back("minibatches",
                        fmt::format("{} of {} rows, {}", source_.batch_size(), source_.rows(),
                                    source_.is_anchored() ? "anchored at the mode" : "not anchored"));
    result.emplace_back("gradients of minibatches", fmt::format("{}", source_.minibatch_gradients()));
  } else {
    result.emplace_back("minibatches", fmt::format("none ({})", source_.why_no_minibatches()));
  }
  result.emplace_back("gradients of all rows",
                      fmt::format("{}", path_gradients_ + hessian_.gradients() + curvature_.gradients() +
                                            source_.full_gradients()));
  result.emplace_back("densities of all rows", fmt::format("{}", full_densities_));
  return result;
}

void check(const density::LogDensity& density, const Options& options) {
  if (options[option::kMetric] == Metric::dense && density.dim() > kMaxDense) {
    throw Error(ErrorKind::usage,
                fmt::format("`--metric dense` takes {} coordinates at most; the model has {}.", kMaxDense,
                            density.dim()),
                "Use `--metric diagonal`.");
  }
}

}  // namespace

double friction_of(const Options& options, const Surroundings& around) {
  return options[option::kSgFriction] > 0 ? options[option::kSgFriction] : 1 / largest(around.sd);
}

std::unique_ptr<Algorithm> make_sg_chain(density::LogDensity& density, const Options& options, Start start,
                                         std::unique_ptr<Dynamics> dynamics) {
  check(density, options);
  return std::make_unique<SgChain>(density, options, std::move(start), std::move(dynamics));
}

}  // namespace kullback::infer
