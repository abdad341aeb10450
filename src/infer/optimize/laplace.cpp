// The method `laplace`: with the mode m and the negative Hessian P = L L' there, draws
//   theta = m + L^-T z,   z standard normal,
//   log q = log|L| - (z'z + dim log 2 pi) / 2
// (Tierney and Kadane 1986). Draw number d has its own random stream, so that draws do not depend on how many
// are made in a step.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.hpp"
#include "base/random.hpp"
#include "infer/algorithm.hpp"
#include "infer/optimize/importance.hpp"
#include "infer/optimize/mode.hpp"
#include "infer/optimize/options.hpp"
#include "infer/optimize/points.hpp"

namespace kullback::infer {

namespace {

constexpr std::size_t kDrawsAtOnce = 64;
constexpr std::size_t kMaxDim = 5000;  // dim * dim numbers, and dim^3 / 3 operations

class Laplace final : public Algorithm {
 public:
  Laplace(density::LogDensity& density, const Options& options, Start start)
      : density_(density),
        draws_(options[option::kDraws]),
        seed_(start.seed),
        chain_(start.chain),
        search_(density, options, std::move(start.theta), kMaxDim) {}

  bool step(Draws& draws) override {
    if (is_done_) return false;
    ++steps_;
    if (search_.step()) return true;
    if (has_gaussian()) draw(draws);
    is_done_ = !has_gaussian() || log_ratios_.size() == draws_;
    return true;
  }

  Progress progress() const override {
    return {.done = steps_,
            .total = is_done_ ? steps_ : 0,
            .gradients = search_.gradients(),
            .value = search_.value()};
  }

  void archive(Archive& archive) override {
    search_.archive(archive);
    archive.value(steps_);
    archive.value(is_done_);
    archive.value(log_ratios_);
  }

  std::optional<Mode> mode() const override {
    if (!is_done_ || !has_gaussian()) return std::nullopt;
    return Mode{search_.theta(), search_.log_density()};
  }

  Findings findings() const override {
    Findings result = search_.findings();
    if (!is_done_) return result;
    if (!has_gaussian()) {
      result.push_back({"no-draws", "There is no Laplace approximation: it needs a mode.",
                        "see the other findings", "Use `--method nuts`, or correct the model."});
      return result;
    }
    if (auto found = outside_finding(log_ratios_)) result.push_back(*found);
    if (auto found = khat_finding(importance_weights(log_ratios_), "the Laplace approximation"))
      result.push_back(*found);
    return result;
  }

 private:
  bool has_gaussian() const {
    return search_.lbfgs().stop() != Stop::start_not_finite && !search_.is_unbounded() &&
           (density_.dim() == 0 || (search_.curvature() != nullptr && search_.curvature()->precision));
  }

  void draw(Draws& draws) {
    const std::size_t dim = density_.dim();
    const std::size_t first = log_ratios_.size();
    const std::size_t count = std::min(kDrawsAtOnce, draws_ - first);
    std::vector<double> points;
    std::vector<double> log_q;
    for (std::size_t d = 0; d < count; ++d) {
      Random random(seed_, chain_, static_cast<std::uint32_t>(Purpose::approximation),
                    static_cast<std::uint32_t>(first + d));
      std::vector<double> z(dim);
      for (double& number : z) number = random.normal();
      append_point(z, points, log_q);
    }
    const std::vector<double> log_p = log_densities(density_, points, count);
    draws.dim = dim;
    draws.theta.insert(draws.theta.end(), points.begin(), points.end());
    draws.log_density.insert(draws.log_density.end(), log_p.begin(), log_p.end());
    draws.log_q.insert(draws.log_q.end(), log_q.begin(), log_q.end());
    for (std::size_t d = 0; d < count; ++d) log_ratios_.push_back(log_p[d] - log_q[d]);
  }

  void append_point(const std::vector<double>& z, std::vector<double>& points,
                    std::vector<double>& log_q) const {
    if (z.empty()) {
      log_q.push_back(0);
      return;
    }
    const PrecisionFactor& precision = *search_.curvature()->precision;
    const std::vector<double> move = precision.unwhiten(z);
    for (std::size_t i = 0; i < z.size(); ++i) points.push_back(search_.theta()[i] + move[i]);
    const double log_two_pi = std::log(2 * std::numbers::pi);
    log_q.push_back(precision.log_determinant() -
                    0.5 * (dot(z, z) + static_cast<double>(z.size()) * log_two_pi));
  }

  density::LogDensity& density_;
  std::size_t draws_;
  std::uint64_t seed_;
  std::uint32_t chain_;
  ModeSearch search_;
  std::uint64_t steps_ = 0;
  bool is_done_ = false;
  std::vector<double> log_ratios_;  // log p - log q of the draws so far
};

std::unique_ptr<Algorithm> make(density::LogDensity& density, const Options& options, Start start) {
  if (density.dim() > kMaxDim) {
    throw Error(
        ErrorKind::usage,
        fmt::format("The Laplace approximation of {} coordinates needs a Hessian of {} MB; it takes {} "
                    "coordinates at most.",
                    density.dim(), density.dim() * density.dim() * 8 / 1000000, kMaxDim),
        "`--method pathfinder` has no such matrix.");
  }
  return std::make_unique<Laplace>(density, options, std::move(start));
}

constexpr const OptionRecord* kOptions[] = {
    &option::kDraws,     &option::kHistory, &option::kMaxIterations, &option::kTolObj,
    &option::kTolRelObj, &option::kTolGrad, &option::kTolRelGrad,    &option::kTolParam};

}  // namespace

const Method& laplace_method() {
  static const Method method{
      .name = "laplace",
      .summary = "the Gaussian with the posterior's mode and curvature",
      .use_when = "The posterior is near Gaussian: many data, few parameters, no scale near 0.",
      .citation =
          "Tierney and Kadane (1986), Accurate approximations for posterior moments and marginal densities, "
          "JASA 81.",
      .has_chains = false,
      .is_exact = false,
      .has_log_q = true,
      .needs = {.gradient = true},
      .options = kOptions,
      .stats = {},
      .make = make,
  };
  return method;
}

}  // namespace kullback::infer
