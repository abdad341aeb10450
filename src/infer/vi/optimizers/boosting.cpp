// Boosting: components of a mixture one at a time (Guo, Wang, Fan, Broderick and Dunson 2016; Miller, Foti
// and Adams 2017; Locatello, Dresdner, Khanna, Valera and Raetsch 2018). The next component climbs the bound
// of the whole mixture with the others held; then all weights climb the ELBO with the components held. Either
// result is kept only where the bound at a fixed set of draws has risen, so that the bound of the trace never
// falls; a component that does not raise it ends the boosting, and it and those after it have no weight.
//
// A component begins where mass is missing. L-BFGS paths from draws far out give local Gaussians g with mean
// mu and mass exp(ELBO of g); of that mass the share 1 - q(mu) Z / p(mu) is missing, with log Z the bound so
// far. The one with the most missing mass is taken, or, where none is missing, the first component widened.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "base/error.hpp"
#include "infer/algorithm.hpp"
#include "infer/optimize/path.hpp"
#include "infer/vi/estimator.hpp"
#include "infer/vi/guess.hpp"
#include "infer/vi/mixture.hpp"
#include "infer/vi/optimizer.hpp"
#include "infer/vi/options.hpp"
#include "infer/vi/partial_family.hpp"
#include "infer/vi/scheme.hpp"
#include "infer/vi/stochastic_ascent.hpp"

namespace kullback::infer {

namespace {

constexpr std::size_t kJudgeDraws = 512;
constexpr double kInflations[] = {2, -2, 4, -4, 8, -8, 16, -16};  // of the draws that paths start from
constexpr std::size_t kDirections = 3;
constexpr std::size_t kWeightDraws = 256;  // of each component
constexpr int kMostWeightSteps = 1000;
constexpr double kWeightTol = 1e-9;
constexpr double kWiden = 2;
constexpr double kLeastWeight = 0.05;
constexpr double kMostWeight = 0.5;
constexpr double kNone = -std::numeric_limits<double>::infinity();

struct Beginning {
  GaussianGuess gaussian;
  double log_missing = kNone;  // mass
};

double log_sum_exp(const std::vector<double>& values) {
  const double largest = *std::max_element(values.begin(), values.end());
  double sum = 0;
  for (const double value : values) sum += std::exp(value - largest);
  return largest + std::log(sum);
}

Mixture& mixture_of(const SchemeSetting& setting) {
  auto* mixture = dynamic_cast<Mixture*>(setting.family);
  if (mixture == nullptr)
    throw Error(ErrorKind::usage, "`--optimizer boosting` adds components to a mixture; the family has none.",
                "Give `--family mixture`.");
  if (setting.objective->make == nullptr)
    throw Error(
        ErrorKind::usage,
        fmt::format("`--optimizer boosting` needs a bound that can be judged; --objective {} is none.",
                    setting.objective->name),
        "`--objective elbo` goes with it.");
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
               Sampling::sobol, mixture_.noise()),
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
  void follow_path(std::vector<double> start, std::uint64_t number, Beginning& best);
  void keep_better(const std::vector<double>& lambda);
  std::vector<double> with_best_weights(std::vector<double> lambda);
  static void climb_weights(const std::vector<double>& log_p, const std::vector<double>& log_each,
                            std::span<double> logits);
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
  std::uint64_t ascents_ = 0;
  std::uint64_t paths_ = 1;      // names of their random numbers; the run's own path is 0
  std::uint64_t gradients_ = 0;  // of what has ended
  std::uint64_t evaluations_ = 0;
  std::uint64_t troubled_ = 0;  // ascents that had findings
  bool is_done_ = false;
  bool is_cut_short_ = false;
  std::vector<TraceRow> trace_;
};

void Boosting::begin_ascent() {
  std::vector<std::size_t> free(mixture_.component_parameters());
  std::iota(free.begin(), free.end(), mixture_.component_place(component_));
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
  ++ascents_;
  const double before = bound_;
  const std::vector<double> found = part_->whole(ascent_->lambda());
  keep_better(found);
  if (component_ > 0) keep_better(with_best_weights(found));
  is_cut_short_ = !(bound_ > before);
  ++component_;
  is_done_ = is_cut_short_ || component_ == mixture_.components() || mixture_.dim() == 0;
  if (is_done_) {
    gradients_ -= ascent_->gradients();  // gradients() counts them again
    evaluations_ -= ascent_->evaluations();
    return;
  }
  next_ = lambda_;
  begin_component();
  begin_ascent();
}

void Boosting::keep_better(const std::vector<double>& lambda) {
  Estimate estimate;
  const double bound = judge(lambda, estimate);
  if (!(bound > bound_)) return;
  lambda_ = lambda;
  bound_ = bound;
  trace_.push_back({ascents_, gradients_, objective_->sign() * bound, estimate.bound_error, 0});
}

// With the components held, the ELBO is concave in the weights, and its slope to w_c is the mean of log p -
// log q over draws of component c, whose log p is needed once. Steps log w_c += slope_c climb: the negative
// entropy of a mixture is smooth relative to that of its weights, with constant 1.
std::vector<double> Boosting::with_best_weights(std::vector<double> lambda) {
  const std::size_t count = component_ + 1;
  const std::size_t dim = mixture_.dim();
  const auto alone = [&](std::size_t c) {
    std::vector<double> result = lambda;
    for (std::size_t k = 0; k < mixture_.components(); ++k) result[k] = k == c ? 0 : Mixture::kNoWeight;
    return result;
  };
  std::vector<double> noise(mixture_.noise() * kWeightDraws);
  noise_.fill(0, kWeightDraws, noise.data());
  std::vector<double> log_p(count * kWeightDraws);
  std::vector<double> log_each(count * count * kWeightDraws);  // of component k at draw s of c
  std::vector<density::Status> status(kWeightDraws);
  for (std::size_t c = 0; c < count; ++c) {
    std::vector<double> theta(dim * kWeightDraws);
    mixture_.draw(alone(c), {kWeightDraws, noise.data(), theta.data(), nullptr});
    double* own = log_p.data() + c * kWeightDraws;
    setting_.density->evaluate({kWeightDraws, theta.data(), own, nullptr, status.data()});
    for (std::size_t s = 0; s < kWeightDraws; ++s) {
      if (status[s] != density::Status::ok) own[s] = kNone;
    }
    for (std::size_t k = 0; k < count; ++k)
      mixture_.evaluate(
          alone(k), {kWeightDraws, theta.data(), log_each.data() + (c * count + k) * kWeightDraws, nullptr});
  }
  evaluations_ += count * kWeightDraws;
  climb_weights(log_p, log_each, std::span(lambda).first(count));
  return lambda;
}

void Boosting::climb_weights(const std::vector<double>& log_p, const std::vector<double>& log_each,
                             std::span<double> logits) {
  const std::size_t count = logits.size();
  double change = 1;
  for (int n = 0; n < kMostWeightSteps && change > kWeightTol; ++n) {
    std::vector<double> next(count);
    for (std::size_t c = 0; c < count; ++c) {
      double slope = 0;
      std::size_t inside = 0;
      for (std::size_t s = 0; s < kWeightDraws; ++s) {
        if (log_p[c * kWeightDraws + s] == kNone) continue;
        std::vector<double> parts(count);
        for (std::size_t k = 0; k < count; ++k)
          parts[k] = logits[k] + log_each[(c * count + k) * kWeightDraws + s];
        slope += log_p[c * kWeightDraws + s] - log_sum_exp(parts);
        ++inside;
      }
      next[c] = inside == 0 ? Mixture::kNoWeight : logits[c] + slope / static_cast<double>(inside);
    }
    const double total = log_sum_exp(next);
    change = 0;
    for (std::size_t c = 0; c < count; ++c) {
      next[c] = std::max(next[c] - total, Mixture::kNoWeight);
      change = std::max(change, std::abs(std::exp(next[c]) - std::exp(logits[c])));
      logits[c] = next[c];
    }
  }
}

// Minus infinity where the bound is not finite.
double Boosting::judge(std::span<const double> lambda, Estimate& result) {
  const std::size_t group = objective_->draws();
  const std::size_t lanes = (kJudgeDraws + group - 1) / group * group;
  if (!judge_.evaluate(lambda, noise_, 0, lanes, false)) return kNone;
  evaluate_bound(*objective_, {judge_.log_p(), judge_.log_q()}, noise_.sampling(), result, nullptr);
  return std::isfinite(result.bound) ? result.bound : kNone;
}

double Boosting::log_q_at(std::span<const double> theta) {
  double log_q = 0;
  mixture_.evaluate(lambda_, {1, theta.data(), &log_q, nullptr});
  return log_q;
}

// Writes the next component into next_, with the weight that its missing mass suggests for a start.
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
  std::vector<double> noise(mixture_.noise() * kDirections);
  std::vector<double> theta(dim * kDirections);
  std::vector<double> mean(dim);
  std::vector<double> sd(dim);
  noise_.fill(1 + static_cast<std::uint32_t>(component_), kDirections, noise.data());
  mixture_.draw(lambda_, {kDirections, noise.data(), theta.data(), nullptr});
  mixture_.moments(lambda_, mean, sd);
  Beginning best{setting_.guess, kNone};
  for (double& value : best.gaussian.sd) value *= kWiden;
  for (double& value : best.gaussian.lower) value *= kWiden;
  for (std::size_t p = 0; p < kDirections * std::size(kInflations); ++p) {
    std::vector<double> start(dim);
    for (std::size_t i = 0; i < dim; ++i)
      start[i] =
          mean[i] + kInflations[p / kDirections] * (theta[i * kDirections + p % kDirections] - mean[i]);
    follow_path(std::move(start), paths_++, best);
  }
  return best;
}

// Takes the Gaussian of the path from `start` where more mass is missing there than at the best so far.
void Boosting::follow_path(std::vector<double> start, std::uint64_t number, Beginning& best) {
  Path path(*setting_.density, *setting_.options, {setting_.noise.seed, static_cast<std::uint32_t>(number)},
            std::move(start));
  while (path.step()) {
  }
  gradients_ += path.lbfgs().gradients();
  evaluations_ += path.evaluations();
  if (!path.has_gaussian()) return;
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
  archive.value(ascents_);
  archive.value(paths_);
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

constexpr const OptionRecord* kOptions[] = {&option::kGradDraws, &option::kLearningRate, &option::kDecay,
                                            &option::kMaxSteps};

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
