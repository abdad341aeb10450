// The method `ep`: expectation propagation (Minka 2001) and power expectation propagation (Minka 2004), from
// the best Gaussian of a Pathfinder path. Draw number d has its own random stream.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/error.hpp"
#include "base/random.hpp"
#include "infer/algorithm.hpp"
#include "infer/ep/propagation.hpp"
#include "infer/optimize/importance.hpp"
#include "infer/optimize/options.hpp"
#include "infer/optimize/path.hpp"
#include "infer/optimize/points.hpp"

namespace kullback::infer {

namespace option {
constexpr auto kPower =
    NumberOption("power", 1, "Power of expectation propagation, in (0, 1]; towards 0 it is variational")
        .above(0)
        .to(1);
constexpr auto kDamping =
    NumberOption("damping", 1, "Part of an update of expectation propagation that is made at most, in (0, 1]")
        .above(0)
        .to(1);
constexpr auto kSweeps =
    CountOption("sweeps", 200, "Sweeps of expectation propagation over its sites at most").from(1);
constexpr auto kTolSites =
    NumberOption("tol_sites", 1e-6, "Expectation propagation stops where a sweep asks for less, in sd")
        .above(0);
}  // namespace option

namespace {

constexpr std::size_t kDrawsAtOnce = 64;
constexpr std::size_t kMaxDim = 1000;  // some matrices of dim * dim numbers in each sweep

density::Terms* factors_of(density::LogDensity& density) {
  density::Terms* factors = density.factors();
  return factors != nullptr ? factors : density.terms();
}

class ExpectationPropagation final : public Algorithm {
 public:
  ExpectationPropagation(density::LogDensity& density, const Options& options, Start start)
      : density_(density),
        options_(options),
        seed_(start.seed),
        chain_(start.chain),
        path_(density, options, {start.seed, start.chain}, std::move(start.theta)) {}

  bool step(Draws& draws) override {
    if (phase_ == Phase::done) return false;
    ++steps_;
    switch (phase_) {
      case Phase::climbing:
        if (!path_.step()) phase_ = path_.has_gaussian() ? Phase::looking : end("no start");
        break;
      case Phase::looking: look(); break;
      case Phase::sweeping: sweep(); break;
      case Phase::drawing: draw(draws); break;
      case Phase::done: break;
    }
    return true;
  }

  Progress progress() const override {
    return {
        .done = steps_, .total = phase_ == Phase::done ? steps_ : 0, .gradients = path_.lbfgs().gradients()};
  }

  void archive(Archive& archive) override {
    path_.archive(archive);
    auto phase = static_cast<std::uint64_t>(phase_);
    archive.value(phase);
    phase_ = static_cast<Phase>(phase);
    archive.value(steps_);
    archive.value(sweeps_);
    archive.value(points_);
    archive.value(why_none_);
    archive.value(log_ratios_);
    archive.value(last_.change);
    archive.value(last_.step);
    archive.value(last_.log_evidence);
    for (std::size_t* count : {&last_.improper, &last_.failed}) {
      std::uint64_t number = *count;
      archive.value(number);
      *count = number;
    }
    bool has_sites = propagation_.has_value();
    archive.value(has_sites);
    if (!has_sites) return;
    if (!propagation_) make_propagation();
    propagation_->archive(archive);
  }

  Facts facts() const override {
    if (phase_ != Phase::done || !why_none_.empty()) return {};
    Facts result;
    if (has_converged())  // elsewhere the formula is that of no fixed point
      result.emplace_back("log evidence", fmt::format("{:.6g}", last_.log_evidence));
    result.emplace_back("evaluations without gradient",
                        fmt::format("{}", path_.evaluations() + term_points() + log_ratios_.size()));
    result.emplace_back("khat", fmt::format("{:.2f}", importance_weights(log_ratios_).khat));
    return result;
  }

  Findings findings() const override {
    Findings result;
    if (phase_ != Phase::done) return result;
    if (!why_none_.empty()) {
      result.push_back(no_draws());
      return result;
    }
    if (propagation_->is_one_term()) result.push_back(one_term());
    if (!has_converged()) result.push_back(not_converged());
    if (auto found = outside_finding(log_ratios_)) result.push_back(*found);
    if (auto found = khat_finding(importance_weights(log_ratios_), "expectation propagation"))
      result.push_back(*found);
    return result;
  }

 private:
  // Points at which all terms were evaluated: values, no gradients.
  std::uint64_t term_points() const { return propagation_ ? propagation_->points() : points_; }

  enum class Phase : std::uint64_t { climbing, looking, sweeping, drawing, done };

  Phase end(const char* why) {
    why_none_ = why;
    return Phase::done;
  }

  void make_propagation() {
    const LowRankGaussian& best = path_.gaussian();
    const std::size_t dim = density_.dim();
    FirstGaussian first{best.mean(), {}};
    for (std::size_t j = 0; j < dim; ++j) {
      std::vector<double> unit(dim, 0.0);
      unit[j] = 1;
      const std::vector<double> moved = best.draw(unit);
      for (std::size_t i = 0; i < dim; ++i) first.root.push_back(moved[i] - best.mean()[i]);
    }
    propagation_.emplace(
        *factors_of(density_), first,
        PropagationOptions{options_[option::kPower], options_[option::kDamping], {seed_, chain_}});
  }

  void look() {
    make_propagation();
    phase_ = propagation_->start() ? Phase::sweeping : end("no sites");
    points_ = propagation_->points();
    if (!why_none_.empty()) propagation_.reset();
  }

  void sweep() {
    last_ = propagation_->sweep();
    ++sweeps_;
    if (last_.change <= options_[option::kTolSites] || sweeps_ >= options_[option::kSweeps] ||
        last_.step == 0)
      phase_ = Phase::drawing;
  }

  bool has_converged() const { return last_.change <= options_[option::kTolSites] && last_.failed == 0; }

  void draw(Draws& draws) {
    const std::size_t dim = density_.dim();
    const std::size_t first = log_ratios_.size();
    const std::size_t count = std::min(kDrawsAtOnce, options_[option::kDraws] - first);
    std::vector<double> points;
    std::vector<double> log_q;
    for (std::size_t d = 0; d < count; ++d) {
      Random random(seed_, chain_, static_cast<std::uint32_t>(Purpose::approximation),
                    static_cast<std::uint32_t>(first + d));
      std::vector<double> z(dim);
      for (double& number : z) number = random.normal();
      const std::vector<double> theta = propagation_->draw(z);
      points.insert(points.end(), theta.begin(), theta.end());
      log_q.push_back(propagation_->log_density_of_draw(z));
    }
    const std::vector<double> log_p = log_densities(density_, points, count);
    draws.dim = dim;
    draws.theta.insert(draws.theta.end(), points.begin(), points.end());
    draws.log_density.insert(draws.log_density.end(), log_p.begin(), log_p.end());
    draws.log_q.insert(draws.log_q.end(), log_q.begin(), log_q.end());
    for (std::size_t d = 0; d < count; ++d) log_ratios_.push_back(log_p[d] - log_q[d]);
    if (log_ratios_.size() == options_[option::kDraws]) phase_ = Phase::done;
  }

  Finding no_draws() const {
    if (why_none_ == "no start") {
      return {"no-draws", "There is no approximation: expectation propagation has no Gaussian to start from.",
              fmt::format("the optimiser's path ended after {} iterations: {}", path_.lbfgs().iterations(),
                          why(path_.lbfgs().stop())),
              "Give other starting values (--init), or use `--method nuts`."};
    }
    return {
        "no-draws", "There is no approximation: the terms of the log density make no proper Gaussian.",
        "the quadratic functions nearest to them, around the end of the optimiser's path, have no maximum",
        "Use `--method nuts`, or give parameters without a proper prior one."};
  }

  Finding one_term() const {
    return {
        "ep-one-term",
        fmt::format("The log density does not factorise: one of its terms depends on all {} coordinates.",
                    density_.dim()),
        "its mean and covariance are those of importance weights of draws around one mode; other modes are "
        "not seen",
        "Use `--method nuts`, or write latent variables as parameters: then there are terms to pass messages "
        "between."};
  }

  Finding not_converged() const {
    return {
        "ep-not-converged",
        fmt::format("Expectation propagation has not converged after {} sweep{}: the approximation depends "
                    "on when it stopped.",
                    sweeps_, sweeps_ == 1 ? "" : "s"),
        fmt::format(
            "the last sweep asked for a change of {:.2g} sd, where {:.2g} is asked for (--tol-sites); "
            "of {} sites, {} have a cavity that is no proper Gaussian and {} have no moments{}",
            last_.change, options_[option::kTolSites], propagation_->sites(), last_.improper, last_.failed,
            last_.step == 0 ? "; no part of the last update keeps the approximation proper" : ""),
        "Lower --power to 0.5 or --damping to 0.2, raise --sweeps, or use `--method nuts`."};
  }

  density::LogDensity& density_;
  Options options_;
  std::uint64_t seed_;
  std::uint32_t chain_;
  Path path_;
  Phase phase_ = Phase::climbing;
  std::optional<Propagation> propagation_;
  std::uint64_t steps_ = 0;
  std::uint64_t sweeps_ = 0;
  std::uint64_t points_ = 0;  // where there is no propagation any more
  std::string why_none_;
  Sweep last_;
  std::vector<double> log_ratios_;  // log p - log q of the draws so far
};

std::unique_ptr<Algorithm> make(density::LogDensity& density, const Options& options, Start start) {
  if (density.dim() > kMaxDim) {
    throw Error(ErrorKind::usage,
                fmt::format("Expectation propagation of {} coordinates needs a covariance of {} MB in every "
                            "sweep; it takes {} coordinates at most.",
                            density.dim(), density.dim() * density.dim() * 8 / 1000000, kMaxDim),
                "`--method pathfinder` has no such matrix.");
  }
  if (factors_of(density) == nullptr) {
    throw Error(
        ErrorKind::usage,
        "Expectation propagation needs a log density that is known as a sum of terms; this model gives "
        "its value only.",
        "Give the Stan program instead of a compiled library, or use `--method pathfinder`.");
  }
  return std::make_unique<ExpectationPropagation>(density, options, std::move(start));
}

constexpr const OptionRecord* kOptions[] = {
    &option::kDraws,   &option::kPower,      &option::kDamping,       &option::kSweeps, &option::kTolSites,
    &option::kHistory, &option::kElboDraws,  &option::kMaxIterations, &option::kTolObj, &option::kTolRelObj,
    &option::kTolGrad, &option::kTolRelGrad, &option::kTolParam};

}  // namespace

const Method& ep_method() {
  static const Method method{
      .name = "ep",
      .summary = "the Gaussian that agrees with every term of the log density in mean and covariance",
      .use_when =
          "The log density is a sum of many simple terms (regressions, latent Gaussian models) and its means "
          "and "
          "variances matter, not its mode.",
      .citation =
          "Minka (2001), Expectation propagation for approximate Bayesian inference, UAI; Minka (2004), "
          "Power EP, "
          "Microsoft Research TR-2004-149.",
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
