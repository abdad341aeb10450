// The method `pathfinder` (Zhang, Carpenter, Gelman and Vehtari 2022). Each path ends in a Gaussian. One
// path: draws from it. Several: every Gaussian q_p gives as many candidates, which are weighted against their
// mixture,
//   w = p(theta) / (sum_p q_p(theta) / paths)
// (the balance heuristic of Veach and Guibas 1995), Pareto-smoothed, and drawn from with replacement. Weights
// p / q_p with a draw's own q_p, as in the paper, count a mode as often as there are paths that ended in it;
// the mixture does not. With --resample 0 the draws are those of the mixture, as many from each Gaussian (one
// more from the first ones where they do not divide), with the mixture's log q: a sample that weights can
// judge.
//
// A candidate is named by its path and number and made again from its random stream where it is drawn, so
// that none is kept.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/random.hpp"
#include "infer/algorithm.hpp"
#include "infer/optimize/importance.hpp"
#include "infer/optimize/options.hpp"
#include "infer/optimize/path.hpp"
#include "infer/optimize/points.hpp"

namespace kullback::infer {

namespace {

constexpr std::size_t kDrawsAtOnce = 64;
constexpr std::uint32_t kFirstCandidate = 1U << 31;  // indices below are iterations
constexpr std::uint32_t kStarts = 100;
constexpr double kStartRadius = 2;

// What is left of a path that has ended.
struct EndedPath {
  Stop stop = Stop::not_yet;
  bool has_gaussian = false;
  bool has_start = true;
  LowRankGaussian gaussian;
  std::uint64_t gradients = 0;

  void archive(Archive& archive) {
    auto number = static_cast<std::uint64_t>(stop);
    archive.value(number);
    stop = static_cast<Stop>(number);
    archive.value(has_gaussian);
    archive.value(has_start);
    gaussian.archive(archive);
    archive.value(gradients);
  }
};

struct Candidate {
  std::size_t path = 0;  // from 0
  std::vector<double> theta;
  double log_q = 0;  // of its own path, until it is a draw of the mixture
};

class Pathfinder final : public Algorithm {
 public:
  Pathfinder(density::LogDensity& density, const Options& options, Start start)
      : density_(density), options_(options), start_(std::move(start)) {}

  bool step(Draws& draws) override {
    if (is_done_) return false;
    ++steps_;
    if (path_) {
      if (!path_->step()) end_path();
    } else if (ended_.size() < options_[option::kPaths]) {
      begin_path();
    } else if (log_p_.size() < candidates()) {
      make_candidates(draws);
      is_done_ = keeps_candidates() && log_p_.size() == candidates();
    } else {
      resample(draws);
      is_done_ = true;
    }
    return true;
  }

  Progress progress() const override {
    std::uint64_t gradients = path_ ? path_->lbfgs().gradients() : 0;
    for (const EndedPath& path : ended_) gradients += path.gradients;
    return {.done = steps_, .total = is_done_ ? steps_ : 0, .gradients = gradients};
  }

  void archive(Archive& archive) override;
  Findings findings() const override;

 private:
  void begin_path();
  void end_path();
  std::optional<std::vector<double>> random_start(std::uint32_t path);

  std::vector<std::size_t> paths_with_gaussian() const;
  bool keeps_candidates() const { return options_[option::kPaths] == 1 || !options_[option::kResample]; }
  std::size_t candidates() const;
  Candidate candidate(std::size_t number) const;
  double log_mixture(const std::vector<double>& theta) const;
  void make_candidates(Draws& draws);
  void resample(Draws& draws);
  void append(Draws& draws, const Candidate& candidate, double log_p) const;

  density::LogDensity& density_;
  Options options_;
  Start start_;
  std::uint64_t steps_ = 0;
  bool is_done_ = false;
  std::optional<Path> path_;  // the one that is going on
  std::vector<EndedPath> ended_;
  std::vector<double> log_p_;  // of the candidates so far
  std::vector<double> log_ratios_;
};

std::optional<std::vector<double>> Pathfinder::random_start(std::uint32_t path) {
  std::vector<double> theta(density_.dim());
  std::vector<double> gradient(density_.dim());
  for (std::uint32_t attempt = 0; attempt < kStarts; ++attempt) {
    Random random(start_.seed, path, static_cast<std::uint32_t>(Purpose::start), attempt);
    for (double& number : theta) number = kStartRadius * (2 * random.uniform() - 1);
    double value = 0;
    density::Status status = density::Status::ok;
    density_.evaluate({1, theta.data(), &value, gradient.data(), &status});
    if (status == density::Status::ok) return theta;
  }
  return std::nullopt;
}

void Pathfinder::begin_path() {
  const auto number = static_cast<std::uint32_t>(ended_.size());
  std::optional<std::vector<double>> theta = number == 0 ? start_.theta : random_start(number);
  if (theta)
    path_.emplace(density_, options_, PathName{start_.seed, number}, std::move(*theta));
  else
    ended_.push_back({.has_start = false, .gaussian = {}});
}

void Pathfinder::end_path() {
  ended_.push_back(
      {path_->lbfgs().stop(), path_->has_gaussian(), true, path_->gaussian(), path_->lbfgs().gradients()});
  path_.reset();
}

std::vector<std::size_t> Pathfinder::paths_with_gaussian() const {
  std::vector<std::size_t> result;
  for (std::size_t p = 0; p < ended_.size(); ++p) {
    if (ended_[p].has_gaussian) result.push_back(p);
  }
  return result;
}

std::size_t Pathfinder::candidates() const {
  const std::size_t paths = paths_with_gaussian().size();
  return (keeps_candidates() ? std::min<std::size_t>(paths, 1) : paths) * options_[option::kDraws];
}

Candidate Pathfinder::candidate(std::size_t number) const {
  const std::vector<std::size_t> paths = paths_with_gaussian();
  const std::size_t path =
      paths[keeps_candidates() ? number % paths.size() : number / options_[option::kDraws]];
  const std::size_t of_path = keeps_candidates() ? number / paths.size() : number % options_[option::kDraws];
  Random random(start_.seed, static_cast<std::uint32_t>(path),
                static_cast<std::uint32_t>(Purpose::approximation),
                kFirstCandidate + static_cast<std::uint32_t>(of_path));
  std::vector<double> normals(density_.dim());
  for (double& value : normals) value = random.normal();
  const LowRankGaussian& gaussian = ended_[path].gaussian;
  return {path, gaussian.draw(normals), gaussian.log_density_of_draw(normals)};
}

double Pathfinder::log_mixture(const std::vector<double>& theta) const {
  std::vector<double> logs;
  for (const std::size_t path : paths_with_gaussian())
    logs.push_back(ended_[path].gaussian.log_density(theta));
  const double largest = *std::max_element(logs.begin(), logs.end());
  double sum = 0;
  for (const double value : logs) sum += std::exp(value - largest);
  return largest + std::log(sum / static_cast<double>(logs.size()));
}

void Pathfinder::append(Draws& draws, const Candidate& candidate, double log_p) const {
  draws.dim = density_.dim();
  draws.theta.insert(draws.theta.end(), candidate.theta.begin(), candidate.theta.end());
  draws.log_density.push_back(log_p);
  draws.stats.push_back(candidate.log_q);
  draws.stats.push_back(static_cast<double>(candidate.path + 1));
}

void Pathfinder::make_candidates(Draws& draws) {
  const std::size_t first = log_p_.size();
  const std::size_t count = std::min(kDrawsAtOnce, candidates() - first);
  std::vector<Candidate> made;
  std::vector<double> points;
  for (std::size_t c = 0; c < count; ++c) {
    made.push_back(candidate(first + c));
    points.insert(points.end(), made.back().theta.begin(), made.back().theta.end());
  }
  const std::vector<double> values = log_densities(density_, points, count);
  for (std::size_t c = 0; c < count; ++c) {
    const double log_q = options_[option::kPaths] == 1 ? made[c].log_q : log_mixture(made[c].theta);
    log_p_.push_back(values[c]);
    log_ratios_.push_back(values[c] - log_q);
    if (!keeps_candidates()) continue;
    made[c].log_q = log_q;
    append(draws, made[c], values[c]);
    draws.log_q.push_back(log_q);
  }
}

// Draws have no log_q: they are no longer draws from the mixture.
void Pathfinder::resample(Draws& draws) {
  if (std::none_of(log_p_.begin(), log_p_.end(), [](double value) { return std::isfinite(value); })) return;
  const stats::Psis weights = importance_weights(log_ratios_);
  std::vector<double> cumulative;
  double sum = 0;
  for (const double log_weight : weights.log_weights) cumulative.push_back(sum += std::exp(log_weight));
  for (std::size_t d = 0; d < options_[option::kDraws]; ++d) {
    Random random(start_.seed, start_.chain, static_cast<std::uint32_t>(Purpose::resample),
                  static_cast<std::uint32_t>(d));
    const auto chosen = std::upper_bound(cumulative.begin(), cumulative.end(), random.uniform() * sum);
    const auto number = static_cast<std::size_t>(std::min(chosen, cumulative.end() - 1) - cumulative.begin());
    append(draws, candidate(number), log_p_[number]);
  }
}

void Pathfinder::archive(Archive& archive) {
  archive.value(steps_);
  archive.value(is_done_);
  std::uint64_t ended = ended_.size();
  archive.value(ended);
  if (ended > options_[option::kPaths]) return;  // numbers of another algorithm
  ended_.resize(ended);
  for (EndedPath& path : ended_) path.archive(archive);
  bool is_going_on = path_.has_value();
  archive.value(is_going_on);
  if (is_going_on && !path_)
    path_.emplace(density_, options_, PathName{start_.seed, static_cast<std::uint32_t>(ended)}, start_.theta);
  if (is_going_on) path_->archive(archive);
  archive.value(log_p_);
  archive.value(log_ratios_);
}

Findings Pathfinder::findings() const {
  Findings result;
  std::size_t unbounded = 0;
  for (std::size_t p = 0; p < ended_.size(); ++p) {
    const EndedPath& path = ended_[p];
    if (path.stop == Stop::unbounded) ++unbounded;
    if (path.has_gaussian) continue;
    result.push_back(
        {"path-failed", fmt::format("Path {} of {} failed.", p + 1, options_[option::kPaths]),
         path.has_start ? fmt::format("{} No Gaussian along it had a finite ELBO.", why(path.stop))
                        : fmt::format("{} points in (-2, 2) had no finite log density and gradient", kStarts),
         "Give a start with --init, or look at the scales and bounds of the parameters."});
  }
  if (unbounded > 0) {
    result.push_back({"unbounded",
                      fmt::format("On {} of {} paths the log density rose without bound.", unbounded,
                                  options_[option::kPaths]),
                      "an L-BFGS path reached 1e15 and was still rising",
                      "The posterior may be improper: give every parameter a proper prior or bounds."});
  }
  if (!is_done_) return result;
  if (std::none_of(log_p_.begin(), log_p_.end(), [](double value) { return std::isfinite(value); })) {
    result.push_back({"no-draws", "No path ended in an approximation.", "see the other findings",
                      "Use `--method nuts`, or correct the model."});
    return result;
  }
  if (auto found = outside_finding(log_p_)) result.push_back(*found);
  if (auto found = khat_finding(importance_weights(log_ratios_), "Pathfinder's approximation"))
    result.push_back(*found);
  return result;
}

std::unique_ptr<Algorithm> make(density::LogDensity& density, const Options& options, Start start) {
  return std::make_unique<Pathfinder>(density, options, std::move(start));
}

constexpr const OptionRecord* kOptions[] = {
    &option::kDraws,   &option::kPaths,         &option::kResample, &option::kElboDraws,
    &option::kHistory, &option::kMaxIterations, &option::kTolObj,   &option::kTolRelObj,
    &option::kTolGrad, &option::kTolRelGrad,    &option::kTolParam};
constexpr std::string_view kStats[] = {"lp_approx__", "path__"};

}  // namespace

const Method& pathfinder_method() {
  static const Method method{
      .name = "pathfinder",
      .summary = "the best Gaussians along paths of L-BFGS, weighted and resampled",
      .use_when = "A fast first answer is wanted, or starts for a sampler, or there are many parameters.",
      .citation =
          "Zhang, Carpenter, Gelman and Vehtari (2022), Pathfinder: parallel quasi-Newton variational "
          "inference, JMLR 23.",
      .has_chains = false,
      .is_exact = false,
      .has_log_q = true,
      .needs = {.gradient = true},
      .options = kOptions,
      .stats = kStats,
      .make = make,
  };
  return method;
}

}  // namespace kullback::infer
