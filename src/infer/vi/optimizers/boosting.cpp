// Boosting: components of a mixture one at a time (Guo, Wang, Fan, Broderick and Dunson 2016; Miller, Foti
// and Adams 2017; Locatello, Dresdner, Khanna, Valera and Raetsch 2018). The next component and its weight
// climb the bound of the whole mixture with the others held; then all weights do, with the components held.
// Either result is kept only where the bound at a fixed set of draws has risen, so that the bound of the
// trace never falls; a component that does not raise it ends the boosting, and it and those after it have no
// weight.
//
// A component begins where mass is missing. L-BFGS paths from draws far out give local Gaussians g with mean
// mu and mass exp(ELBO of g); of that mass the share 1 - q(mu) Z / p(mu) is missing, with log Z the bound so
// far. The one with the most missing mass is taken, or, where none is missing, the first component widened.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/error.hpp"
#include "infer/algorithm.hpp"
#include "infer/optimize/path.hpp"
#include "infer/vi/estimator.hpp"
#include "infer/vi/guess.hpp"
#include "infer/vi/mixture.hpp"
#include "infer/vi/optimizer.hpp"
#include "infer/vi/partial_family.hpp"
#include "infer/vi/scheme.hpp"
#include "infer/vi/stochastic_ascent.hpp"

namespace kullback::infer {

namespace {

constexpr std::size_t kJudgeDraws = 512;
constexpr double kInflations[] = {2, 4, 8, 16};  // of the draws that paths start from
constexpr double kWiden = 2;
constexpr double kLeastWeight = 0.05;
constexpr double kMostWeight = 0.5;
constexpr double kNone = -std::numeric_limits<double>::infinity();

struct Beginning {
  GaussianGuess gaussian;
  double log_missing = kNone;  // mass
};

Mixture& mixture_of(const SchemeSetting& setting) {
  auto* mixture = dynamic_cast<Mixture*>(setting.family);
  if (mixture == nullptr)
    throw Error(ErrorKind::usage, "--optimizer boosting adds components to a mixture; the family has none.",
                "Give --family mixture.");
  if (setting.objective->make == nullptr)
    throw Error(ErrorKind::usage,
                fmt::format("--optimizer boosting needs a bound that can be judged; --objective {} is none.",
                            setting.objective->name),
                "--objective elbo goes with it.");
  return *mixture;
}

// The one with the least noise that goes with the objective.
const EstimatorRecord& estimator_for(const SchemeSetting& setting) {
  const auto objective = setting.objective->make(*setting.options);
  const EstimatorSetting parts{setting.density, setting.family,     objective.get(),
                               nullptr,         objective->draws(), setting.options};
  for (const std::string_view name : {"stl", "dreg"}) {
    const EstimatorRecord& record = find_estimator(name);
    if (!record.refuse(parts)) return record;
  }
  return find_estimator("reparam");
}

class Boosting final : public Scheme {
 public:
  explicit Boosting(const SchemeSetting& setting)
      : setting_(setting),
        mixture_(mixture_of(setting)),
        objective_(setting.objective->make(*setting.options)),
        noise_({setting.noise.seed, setting.noise.chain, static_cast<std::uint32_t>(Purpose::boosting)},
               Sampling::iid, mixture_.noise()),
        judge_(*setting.density, mixture_),
        lambda_(mixture_.parameters()) {
    for (std::size_t c = 0; c < mixture_.components(); ++c) {
      lambda_[c] = c == 0 ? 0 : Mixture::kNoWeight;
      mixture_.set_component(c, setting.guess, lambda_);
    }
    next_ = lambda_;
    begin_ascent();
  }

  bool step() override {
    if (is_done_) return false;
    if (!ascent_->step()) end_ascent();
    return true;
  }

  std::span<const double> lambda() const override { return lambda_; }
  Bias bias() const override { return ascent_->bias(); }
  std::uint64_t gradients() const override { return gradients_ + ascent_->gradients(); }
  std::uint64_t evaluations() const override {
    return evaluations_ + ascent_->evaluations() + judge_.evaluations();
  }
  std::span<const TraceRow> trace() const override { return trace_; }
  Findings findings() const override;
  void archive(Archive& archive) override;

 private:
  void begin_ascent();
  void end_ascent();
  void begin_component();
  Beginning explore();
  double judge(std::span<const double> lambda, Estimate& result);
  double log_q_at(std::span<const double> theta);

  SchemeSetting setting_;
  Mixture& mixture_;
  std::unique_ptr<Objective> objective_;
  NoiseSource noise_;
  EvaluatedDraws judge_;
  std::vector<double> lambda_;  // the answer
  std::vector<double> next_;    // where the ascent going on began
  std::unique_ptr<PartialFamily> part_;
  std::unique_ptr<Scheme> ascent_;
  double bound_ = kNone;
  std::uint64_t component_ = 0;
  bool fits_weights_ = false;
  std::uint64_t ascents_ = 0;
  std::uint64_t gradients_ = 0;  // of what has ended
  std::uint64_t evaluations_ = 0;
  std::uint64_t troubled_ = 0;  // ascents that had findings
  bool is_done_ = false;
  bool is_cut_short_ = false;
  std::vector<TraceRow> trace_;
};

void Boosting::begin_ascent() {
  std::vector<std::size_t> free;
  for (std::size_t c = 0; c <= component_; ++c) {
    if ((fits_weights_ || c == component_) && component_ > 0) free.push_back(c);
  }
  const std::size_t place = mixture_.component_place(component_);
  for (std::size_t p = 0; p < mixture_.component_parameters() && !fits_weights_; ++p)
    free.push_back(place + p);
  part_ = std::make_unique<PartialFamily>(mixture_, next_, std::move(free));
  SchemeSetting own = setting_;
  own.family = part_.get();
  own.optimizer = &find_optimizer("adam");
  own.estimator = &estimator_for(own);
  own.noise.chain += static_cast<std::uint32_t>(ascents_);
  ascent_ = make_stochastic_ascent(own);
}

void Boosting::end_ascent() {
  gradients_ += ascent_->gradients();
  evaluations_ += ascent_->evaluations();
  if (!ascent_->findings().empty()) ++troubled_;
  std::vector<double> found = part_->whole(ascent_->lambda());
  Estimate estimate;
  const double bound = judge(found, estimate);
  const bool rises = bound > bound_;
  if (rises) {
    lambda_ = std::move(found);
    bound_ = bound;
    trace_.push_back({++ascents_, gradients_, objective_->sign() * bound, estimate.bound_error, 0});
  } else {
    ++ascents_;
  }
  is_cut_short_ = !rises && !fits_weights_;
  const bool weights_next = rises && !fits_weights_ && component_ > 0;
  if (!weights_next) ++component_;
  fits_weights_ = weights_next;
  is_done_ = is_cut_short_ || component_ == mixture_.components() || mixture_.dim() == 0;
  next_ = lambda_;
  if (is_done_) {
    gradients_ -= ascent_->gradients();  // counted again by gradients()
    evaluations_ -= ascent_->evaluations();
    return;
  }
  if (!fits_weights_) begin_component();
  begin_ascent();
}

// Minus infinity where the bound is not finite.
double Boosting::judge(std::span<const double> lambda, Estimate& result) {
  const std::size_t group = objective_->draws();
  const std::size_t lanes = (kJudgeDraws + group - 1) / group * group;
  if (!judge_.evaluate(lambda, noise_, 0, lanes, false)) return kNone;
  evaluate_bound(*objective_, {judge_.log_p(), judge_.log_q()}, result, nullptr);
  return std::isfinite(result.bound) ? result.bound : kNone;
}

double Boosting::log_q_at(std::span<const double> theta) {
  double log_q = 0;
  mixture_.evaluate(lambda_, {1, theta.data(), &log_q, nullptr});
  return log_q;
}

// Writes the next component into next_, with the weight that its missing mass suggests.
void Boosting::begin_component() {
  Beginning best = explore();
  const double log_odds = best.log_missing - objective_->sign() * bound_;
  const double weight = std::isnan(log_odds)
                            ? kLeastWeight
                            : std::clamp(1 / (1 + std::exp(-log_odds)), kLeastWeight, kMostWeight);
  double sum = 0;
  for (std::size_t c = 0; c < component_; ++c) sum += std::exp(lambda_[c]);
  next_[component_] = std::log(sum * weight / (1 - weight));
  mixture_.set_component(component_, best.gaussian, next_);
}

Beginning Boosting::explore() {
  const std::size_t dim = mixture_.dim();
  constexpr std::size_t kPaths = std::size(kInflations);
  std::vector<double> noise(mixture_.noise() * kPaths);
  std::vector<double> theta(dim * kPaths);
  std::vector<double> mean(dim);
  std::vector<double> sd(dim);
  noise_.fill(1 + static_cast<std::uint32_t>(component_), kPaths, noise.data());
  mixture_.draw(lambda_, {kPaths, noise.data(), theta.data(), nullptr});
  mixture_.moments(lambda_, mean, sd);
  Beginning best{setting_.guess, kNone};
  for (double& value : best.gaussian.sd) value *= kWiden;
  for (double& value : best.gaussian.lower) value *= kWiden;
  for (std::size_t p = 0; p < kPaths; ++p) {
    std::vector<double> start(dim);
    for (std::size_t i = 0; i < dim; ++i)
      start[i] = mean[i] + kInflations[p] * (theta[i * kPaths + p] - mean[i]);
    const auto number = static_cast<std::uint32_t>(component_ * kPaths + p);
    Path path(*setting_.density, *setting_.options, {setting_.noise.seed, number}, std::move(start));
    while (path.step()) {
    }
    gradients_ += path.lbfgs().gradients();
    evaluations_ += path.evaluations();
    if (!path.has_gaussian()) continue;
    const std::vector<double>& mode = path.gaussian().mean();
    double log_p = 0;
    density::Status status = density::Status::ok;
    setting_.density->evaluate({1, mode.data(), &log_p, nullptr, &status});
    ++evaluations_;
    const double present = std::exp(log_q_at(mode) + objective_->sign() * bound_ - log_p);
    const double log_missing = present < 1 ? path.elbo() + std::log1p(-present) : kNone;
    if (status == density::Status::ok && log_missing > best.log_missing)
      best = {guess_of(path.gaussian()), log_missing};
  }
  return best;
}

Findings Boosting::findings() const {
  Findings result = ascent_->findings();
  if (troubled_ > 0 && result.empty()) {
    result.push_back({"not-converged",
                      "Some of the ascents that fitted components or weights did not settle.",
                      fmt::format("{} of {} ascents", troubled_, ascents_), "Raise --max-steps."});
  }
  if (is_cut_short_) {
    result.push_back({"boosting-ended",
                      "A further component did not raise the bound; the others have no weight.",
                      fmt::format("{} of {} components", component_ - 1, mixture_.components()),
                      "Nothing is wrong; --components may be smaller."});
  }
  return result;
}

void Boosting::archive(Archive& archive) {
  judge_.archive(archive);
  archive.value(lambda_);
  archive.value(next_);
  archive.value(bound_);
  archive.value(component_);
  archive.value(fits_weights_);
  archive.value(ascents_);
  archive.value(gradients_);
  archive.value(evaluations_);
  archive.value(troubled_);
  archive.value(is_done_);
  archive.value(is_cut_short_);
  archive_trace(archive, trace_);
  if (archive.is_reading() && !is_done_) {
    if (next_.size() != mixture_.parameters() || component_ >= mixture_.components()) return;
    begin_ascent();
  }
  ascent_->archive(archive);
}

std::unique_ptr<Scheme> make(const SchemeSetting& setting) { return std::make_unique<Boosting>(setting); }

constexpr std::string_view kOptions[] = {"grad_draws", "learning_rate", "decay", "max_steps"};

}  // namespace

const OptimizerRecord& boosting_optimizer() {
  static const OptimizerRecord record{
      .name = "boosting",
      .summary = "components of a mixture one at a time, each where mass is missing",
      .citation =
          "Guo, Wang, Fan, Broderick and Dunson (2016), Boosting variational inference; Miller, Foti and "
          "Adams "
          "(2017), Variational boosting, ICML; Locatello, Dresdner, Khanna, Valera and Raetsch (2018), "
          "Boosting "
          "black box variational inference, NeurIPS.",
      .options = kOptions,
      .make_scheme = make,
  };
  return record;
}

}  // namespace kullback::infer
