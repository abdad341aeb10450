// Stein variational gradient descent (Liu and Wang 2016): n particles move along
//   phi(x) = 1/n sum_j [k(x_j, x) grad log p(x_j) + grad_{x_j} k(x_j, x)],
// the direction in which, among those of unit size in the kernel's space, the KL divergence from p falls
// fastest. The first part draws them to where p is large, the second drives them apart.
//   natural   in coordinates in which the average curvature is the identity (particle_coordinates.cpp)
//   plain     in unconstrained coordinates, in units of the starting particles' standard deviations
//   mirrored  the same, but the kernel sees the constrained values (mirror.cpp): mirrored SVGD of Shi, Liu
//   and
//             Mackey (2022) with entropic mirror maps. Their dual coordinates are Stan's unconstrained ones.
// In the coordinates that move, scales are about 1, and the force on a particle over the mean of its kernels
// is about the way that is left to it in standard deviations: where the root mean square is below svgd_tol,
// SVGD stops.
//
// A particle that comes to where density or gradient is not finite is put back. At rest, copies of the
// particles are moved by Hamiltonian Monte Carlo to see whether they stay (invariance_check.cpp).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/error.hpp"
#include "base/random.hpp"
#include "infer/algorithm.hpp"
#include "infer/mcmc/archive_fixed.hpp"
#include "infer/optimize/options.hpp"
#include "infer/particles/best_path.hpp"
#include "infer/particles/invariance_check.hpp"
#include "infer/particles/mirror.hpp"
#include "infer/particles/particle_coordinates.hpp"
#include "infer/particles/particle_steps.hpp"
#include "infer/particles/stein_checks.hpp"
#include "infer/particles/stein_force.hpp"
#include "stats/ksd.hpp"

namespace kullback::infer {

namespace option {
constexpr auto kSvgdParticles = CountOption("svgd_particles", 100, "Particles of SVGD")
                                    .from(10)
                                    .to(4000)  // three matrices of their square
                                    .hinted("100 suit models of up to ten parameters.");
constexpr auto kSvgdVariant = ChoiceOption<infer::SvgdVariant>(
    "svgd_variant", SvgdVariant::natural, "natural|plain|mirrored",
    "SVGD in coordinates of unit curvature, in unconstrained ones, or with a kernel of constrained values");
constexpr auto kSvgdKernel = ChoiceOption<infer::SvgdKernel>(
    "svgd_kernel", SvgdKernel::imq, "imq|rbf", "Kernel of SVGD: inverse multiquadric or Gaussian");
constexpr auto kSvgdBandwidth =
    NumberOption("svgd_bandwidth", 0,
                 "Bandwidth of SVGD's kernel in its coordinates; auto: by the median distance of particles")
        .above(0)
        .automatic();
constexpr auto kSvgdOptimizer = ChoiceOption<infer::SvgdOptimizer>(
    "svgd_optimizer", SvgdOptimizer::adagrad, "adagrad|coin",
    "Steps of SVGD: AdaGrad with a step size that falls by itself, or coin betting, which has none");
constexpr auto kSvgdStart =
    ChoiceOption<infer::SvgdStart>("svgd_start", SvgdStart::path, "path|spread",
                                   "Where particles of SVGD start: drawn from a Gaussian on the path to the "
                                   "mode, or spread around the start");
constexpr auto kSvgdTol =
    NumberOption("svgd_tol", 0.003,
                 "SVGD stops where its force would move particles by less, in standard deviations")
        .above(0)
        .hinted("0.003 is the default: three thousandths of a standard deviation.");
}  // namespace option

namespace {

constexpr std::size_t kMostNaturalDim = 500;
constexpr std::uint64_t kRefreshAt[] = {0, 25, 100};  // iterations before which curvature is averaged anew
constexpr std::uint64_t kMostFailures = 20;
constexpr int kContractions = 60;
constexpr auto kTransition = static_cast<std::uint32_t>(Purpose::transition);

using Kind = stats::RadialKernel::Kind;

Kind kind_of(SvgdKernel kernel) { return kernel == SvgdKernel::rbf ? Kind::rbf : Kind::imq; }

// Root mean square of the forces, each over its particle's mean kernel.
double way_left(const std::vector<double>& force, const std::vector<double>& mean_kernels) {
  double sum = 0;
  for (std::size_t at = 0; at < force.size(); ++at) {
    const double way = force[at] / mean_kernels[at % mean_kernels.size()];
    sum += way * way;
  }
  return std::sqrt(sum / static_cast<double>(force.size()));
}

// 1 where it is 0 or not finite.
std::vector<double> standard_deviations(const std::vector<double>& lanes, std::size_t count) {
  std::vector<double> result;
  for (std::size_t first = 0; first < lanes.size(); first += count) {
    double mean = 0;
    for (std::size_t k = 0; k < count; ++k) mean += lanes[first + k] / static_cast<double>(count);
    double squares = 0;
    for (std::size_t k = 0; k < count; ++k) squares += (lanes[first + k] - mean) * (lanes[first + k] - mean);
    const double sd = std::sqrt(squares / static_cast<double>(count - 1));
    result.push_back(sd > 0 && std::isfinite(sd) ? sd : 1);
  }
  return result;
}

std::vector<double> point_after_point(const std::vector<double>& lanes, std::size_t count) {
  const std::size_t dim = lanes.size() / count;
  std::vector<double> result(lanes.size());
  for (std::size_t a = 0; a < dim; ++a) {
    for (std::size_t k = 0; k < count; ++k) result[k * dim + a] = lanes[a * count + k];
  }
  return result;
}

struct Particles {
  std::vector<double> theta;     // coordinate a of particle k at a * count + k
  std::vector<double> gradient;  // likewise
  std::vector<double> log_density;

  Particles(std::size_t count, std::size_t dim)
      : theta(count * dim), gradient(count * dim), log_density(count) {}
  void copy_lane(const Particles& from, std::size_t k) {
    const std::size_t count = log_density.size();
    for (std::size_t at = k; at < theta.size(); at += count) {
      theta[at] = from.theta[at];
      gradient[at] = from.gradient[at];
    }
    log_density[k] = from.log_density[k];
  }
  void archive(Archive& archive) {
    for (auto* numbers : {&theta, &gradient, &log_density}) archive_fixed(archive, *numbers);
  }
};

class Svgd final : public Algorithm {
 public:
  Svgd(density::LogDensity& density, const Options& options, Start start)
      : density_(density),
        dim_(density.dim()),
        count_(options[option::kSvgdParticles]),
        options_(options),
        start_(std::move(start)),
        now_(count_, dim_),
        next_(count_, dim_),
        first_(count_, dim_),
        coordinates_(dim_),
        steps_(options[option::kSvgdOptimizer], count_, dim_),
        force_(count_, dim_, kind_of(options[option::kSvgdKernel]), options[option::kSvgdBandwidth]),
        check_(density, coordinates_, count_),
        mirror_units_(dim_, 1.0),
        status_(count_) {
    if (dim_ > 0 && options[option::kSvgdStart] == SvgdStart::path) path_.emplace(density, options_, start_);
  }

  bool step(Draws& draws) override;
  Progress progress() const override {
    return {.done = iterations_,
            .total = phase_ == Phase::done ? iterations_ : 0,
            .gradients = gradients_ + check_.gradients() + (path_ ? path_->gradients() : 0)};
  }
  void archive(Archive& archive) override;
  Findings findings() const override;

 private:
  enum class Phase : std::uint64_t { climbing, moving, checking, done };
  enum class End : std::uint64_t { not_yet, force, steps, iterations };

  bool is_natural() const { return options_[option::kSvgdVariant] == SvgdVariant::natural; }
  bool is_mirrored() const { return options_[option::kSvgdVariant] == SvgdVariant::mirrored; }
  bool has_path() const { return path_ && path_->has_gaussian(); }

  bool iterate();
  void place();
  void draw_start(std::size_t k);
  std::vector<bool> evaluate(Particles& particles);
  void average_curvature_anew();
  void compute_force();
  End judge() const;
  void move();
  void deliver(Draws& draws) const;
  double discrepancy(const Particles& particles, double bandwidth) const;
  Finding discrepancy_finding() const;

  density::LogDensity& density_;
  std::size_t dim_;
  std::size_t count_;
  Options options_;
  Start start_;
  std::optional<BestPath> path_;
  Particles now_;
  Particles next_;
  Particles first_;  // where they started
  ParticleCoordinates coordinates_;
  ParticleSteps steps_;
  SteinForce force_;
  InvarianceCheck check_;
  std::vector<double> mirror_units_;
  std::vector<density::Status> status_;
  std::vector<double> push_;  // the force

  Phase phase_ = Phase::climbing;
  End end_ = End::not_yet;
  double remaining_ = std::numeric_limits<double>::infinity();
  std::uint64_t iterations_ = 0;
  std::uint64_t refreshes_ = 0;
  std::uint64_t gradients_ = 0;
  std::uint64_t undone_ = 0;    // moves of single particles
  std::uint64_t failures_ = 0;  // iterations in a row in which most moves were undone
  std::string message_;         // of the density, at the last of these
};

bool Svgd::step(Draws& draws) {
  switch (phase_) {
    case Phase::climbing:
      if (path_ && path_->step()) return true;
      place();
      phase_ = Phase::moving;
      return true;
    case Phase::moving:
      if (dim_ > 0 && iterate()) return true;
      check_.begin(now_.theta);
      phase_ = Phase::checking;
      return true;
    case Phase::checking:
      if (dim_ > 0 && check_.step(Random(start_.seed, start_.chain, kTransition,
                                         static_cast<std::uint32_t>(check_.transitions()))))
        return true;
      deliver(draws);
      phase_ = Phase::done;
      return true;
    case Phase::done: break;
  }
  return false;
}

// False where the particles are at rest, or iterations ran out. They are not at rest before the curvature was
// averaged where they are, not only where they started.
bool Svgd::iterate() {
  if (is_natural() && refreshes_ < std::size(kRefreshAt) && iterations_ >= kRefreshAt[refreshes_])
    average_curvature_anew();
  compute_force();
  end_ = judge();
  if (is_natural() && refreshes_ < 2 && (end_ == End::force || end_ == End::steps)) {
    average_curvature_anew();
    compute_force();
    end_ = End::not_yet;
  }
  if (end_ != End::not_yet) return false;
  move();
  return true;
}

void Svgd::draw_start(std::size_t k) {
  Random random(start_.seed, start_.chain, static_cast<std::uint32_t>(Purpose::particles),
                static_cast<std::uint32_t>(k));
  std::vector<double> point(dim_);
  for (double& x : point) x = random.normal();
  if (has_path()) {
    point = path_->gaussian().draw(point);
  } else {
    for (std::size_t i = 0; i < dim_; ++i) point[i] += start_.theta[i];
  }
  for (std::size_t i = 0; i < dim_; ++i) now_.theta[i * count_ + k] = point[i];
}

// What is not finite moves half way to a point that is, again and again.
void Svgd::place() {
  for (std::size_t k = 0; k < count_; ++k) draw_start(k);
  const std::vector<double>& center = has_path() ? path_->mode() : start_.theta;
  std::vector<bool> is_ok = evaluate(now_);
  for (int n = 0; n < kContractions && std::count(is_ok.begin(), is_ok.end(), false) > 0; ++n) {
    for (std::size_t k = 0; k < count_; ++k) {
      for (std::size_t i = 0; i < dim_ && !is_ok[k]; ++i)
        now_.theta[i * count_ + k] = 0.5 * (now_.theta[i * count_ + k] + center[i]);
    }
    is_ok = evaluate(now_);
  }
  if (const auto outside = std::count(is_ok.begin(), is_ok.end(), false); outside > 0)
    throw Error(ErrorKind::bad_input,
                fmt::format("the density is not finite at {} of {} particles, however near the start: {}",
                            outside, count_, density_.message()),
                "Give initial values inside the support.");
  first_ = now_;
  coordinates_.set_units(standard_deviations(now_.theta, count_));
  if (is_mirrored())
    mirror_units_ =
        standard_deviations(mirror_values(density_.supports(), now_.theta, count_).values, count_);
}

std::vector<bool> Svgd::evaluate(Particles& particles) {
  density_.evaluate({count_, particles.theta.data(), particles.log_density.data(), particles.gradient.data(),
                     status_.data()});
  gradients_ += count_;
  std::vector<bool> is_ok(count_);
  for (std::size_t k = 0; k < count_; ++k)
    is_ok[k] = status_[k] == density::Status::ok && std::isfinite(particles.log_density[k]);
  for (std::size_t at = 0; at < particles.gradient.size(); ++at) {
    if (!std::isfinite(particles.gradient[at])) is_ok[at % count_] = false;
  }
  if (!is_mirrored()) return is_ok;
  const MirrorValues mirror = mirror_values(density_.supports(), particles.theta, count_);
  for (std::size_t at = 0; at < mirror.values.size(); ++at) {
    if (!std::isfinite(mirror.values[at])) is_ok[at % count_] = false;
  }
  return is_ok;
}

void Svgd::average_curvature_anew() {
  ++refreshes_;
  const AverageCurvature curvature = average_curvature(density_, now_.theta, count_);
  gradients_ += curvature.gradients;
  if (curvature.matrix.empty()) return;
  coordinates_.set_curvature(curvature.matrix);
  steps_.restart();
}

void Svgd::compute_force() {
  push_.resize(now_.theta.size());
  const std::vector<double> scores = coordinates_.scores_to_z(now_.gradient, count_);
  if (is_mirrored()) {
    MirrorValues mirror = mirror_values(density_.supports(), now_.theta, count_);
    for (std::size_t at = 0; at < mirror.values.size(); ++at) {
      mirror.values[at] /= mirror_units_[at / count_];
      mirror.slopes[at] *= coordinates_.units()[at / count_] / mirror_units_[at / count_];
    }
    force_.compute(mirror.values, scores, mirror.slopes, push_);
  } else {
    force_.compute(coordinates_.to_z(now_.theta, count_), scores, {}, push_);
  }
  remaining_ = way_left(push_, force_.mean_kernels());
}

Svgd::End Svgd::judge() const {
  if (remaining_ < options_[option::kSvgdTol]) return End::force;
  if (steps_.is_exhausted()) return End::steps;
  return iterations_ >= options_[option::kMaxIterations] ? End::iterations : End::not_yet;
}

void Svgd::move() {
  std::vector<double> moved(push_.size());
  steps_.propose(push_, moved);
  next_.theta = now_.theta;
  coordinates_.add_move(moved, count_, next_.theta);
  const std::vector<bool> is_ok = evaluate(next_);
  std::size_t undone = 0;
  for (std::size_t k = 0; k < count_; ++k) {
    if (is_ok[k]) continue;
    next_.copy_lane(now_, k);
    steps_.undo(k);
    for (std::size_t at = k; at < moved.size(); at += count_) moved[at] = 0;
    ++undone;
  }
  if (undone > 0) message_ = density_.message();
  undone_ += undone;
  failures_ = 2 * undone > count_ ? failures_ + 1 : 0;
  if (failures_ >= kMostFailures)
    throw Error(ErrorKind::bad_input,
                fmt::format("{} of {} particles could not move in each of {} iterations: {}", undone, count_,
                            kMostFailures, message_),
                "Correct the statement, or give initial values away from it.");
  std::swap(now_, next_);
  steps_.settle(moved);
  ++iterations_;
}

void Svgd::deliver(Draws& draws) const {
  const std::vector<double> points = point_after_point(now_.theta, count_);
  draws.dim = dim_;
  draws.theta.insert(draws.theta.end(), points.begin(), points.end());
  draws.log_density.insert(draws.log_density.end(), now_.log_density.begin(), now_.log_density.end());
}

void Svgd::archive(Archive& archive) {
  if (path_) path_->archive(archive);
  auto phase = static_cast<std::uint64_t>(phase_);
  auto end = static_cast<std::uint64_t>(end_);
  for (auto* number : {&phase, &end, &iterations_, &refreshes_, &gradients_, &undone_, &failures_})
    archive.value(*number);
  phase_ = static_cast<Phase>(std::min<std::uint64_t>(phase, 3));
  end_ = static_cast<End>(std::min<std::uint64_t>(end, 3));
  archive.value(remaining_);
  archive.value(message_);
  now_.archive(archive);
  first_.archive(archive);
  coordinates_.archive(archive);
  steps_.archive(archive);
  check_.archive(archive);
  archive_fixed(archive, mirror_units_);
}

double Svgd::discrepancy(const Particles& particles, double bandwidth) const {
  const std::vector<double> z = point_after_point(coordinates_.to_z(particles.theta, count_), count_);
  const std::vector<double> scores =
      point_after_point(coordinates_.scores_to_z(particles.gradient, count_), count_);
  return stats::kernel_stein_discrepancy({z, scores, dim_}, {Kind::imq, bandwidth}).squared_v;
}

Finding Svgd::discrepancy_finding() const {
  const std::vector<double> z = point_after_point(coordinates_.to_z(now_.theta, count_), count_);
  const std::vector<double> scores =
      point_after_point(coordinates_.scores_to_z(now_.gradient, count_), count_);
  const double bandwidth =
      stats::median_bandwidth(Kind::imq, stats::median_squared_distance(z, dim_), count_);
  const stats::Ksd after = stats::kernel_stein_discrepancy({z, scores, dim_}, {Kind::imq, bandwidth});
  return {
      "ksd",
      fmt::format("The kernelised Stein discrepancy was {:.3g} at the start and is {:.3g} at the end.",
                  std::sqrt(discrepancy(first_, bandwidth)), std::sqrt(after.squared_v)),
      fmt::format("{} independent draws would have about {:.3g}; inverse multiquadric kernel, {} iterations, "
                  "the force would move particles by {:.2g} standard deviations more",
                  count_, std::sqrt(after.independent), iterations_, remaining_),
      "Particles have no density: there is no log_q, no k-hat and no evidence. For weights use pathfinder, "
      "for the normalising constant smc."};
}

Findings Svgd::findings() const {
  Findings result;
  if (phase_ != Phase::done || dim_ == 0) return result;
  result.push_back(discrepancy_finding());
  if (path_ && !has_path())
    result.push_back({"path-failed",
                      "There was no Gaussian on the paths to the mode: particles started around the start.",
                      path_->why_not(), "Check that the posterior is proper."});
  if (end_ == End::iterations)
    result.push_back(
        {"not-converged", "The particles had not come to rest when iterations ran out.",
         fmt::format("after {} iterations the force would move them by {:.2g} standard deviations",
                     iterations_, remaining_),
         "Raise --max-iterations."});
  if (undone_ > 0)
    result.push_back(
        {"moves-undone",
         fmt::format("{} moves of particles were undone: the density is not finite there.", undone_),
         message_, "Where they are many, give initial values, or correct the statement."});
  const Findings more = stein_findings(stein_checks(now_.theta, now_.gradient, count_), density_, count_);
  result.insert(result.end(), more.begin(), more.end());
  if (const auto found = check_.finding()) result.push_back(*found);
  return result;
}

void check(const density::LogDensity& density, const Options& options) {
  if (options[option::kSvgdVariant] == SvgdVariant::natural && density.dim() > kMostNaturalDim)
    throw Error(ErrorKind::usage,
                fmt::format("`--svgd-variant natural` takes {} coordinates at most; there are {}.",
                            kMostNaturalDim, density.dim()),
                "Take plain, but particles collapse in so many dimensions; pathfinder does not.");
  if (options[option::kSvgdVariant] == SvgdVariant::mirrored && density.supports().size() != density.dim())
    throw Error(ErrorKind::usage, "`--svgd-variant mirrored` needs a model that tells its constraints.",
                "Programs and C++ models do; for a compiled library take natural or plain.");
}

std::unique_ptr<Algorithm> make(density::LogDensity& density, const Options& options, Start start) {
  check(density, options);
  return std::make_unique<Svgd>(density, options, std::move(start));
}

constexpr const OptionRecord* kOptions[] = {
    &option::kSvgdParticles, &option::kSvgdVariant, &option::kSvgdKernel, &option::kSvgdBandwidth,
    &option::kSvgdOptimizer, &option::kSvgdStart,   &option::kSvgdTol,    &option::kMaxIterations};

constexpr std::string_view kNoWeights =
    "Particles of SVGD have no density q, so that there are no weights: no ELBO, no k-hat, no evidence. "
    "Pathfinder has weights; smc gives the normalising constant.";
constexpr Refusal kRefusals[] = {
    {"elbo_draws", kNoWeights},
    {"objective", kNoWeights},
    {"draws", "The particles are the draws: --svgd-particles says how many."},
    {"particles", "--svgd-particles says how many."},
};

}  // namespace

const Method& svgd_method() {
  static const Method method{
      .name = "svgd",
      .summary = "Stein variational gradient descent: particles that follow the gradient and keep apart",
      .use_when =
          "Some tens to hundreds of points are to stand for the posterior of a few parameters, skewed or "
          "curved, where each gradient is dear.",
      .citation =
          "Liu and Wang (2016), Stein variational gradient descent; Wang, Tang, Bajaj and Liu (2019), "
          "matrix-valued "
          "kernels; Shi, Liu and Mackey (2022), mirrored Stein operators; Sharrock and Nemeth (2023), coin "
          "sampling",
      .has_chains = false,
      .is_exact = false,
      .needs = {.gradient = true},
      .options = kOptions,
      .stats = {},
      .make = make,
      .refusals = kRefusals,
  };
  return method;
}

}  // namespace kullback::infer
