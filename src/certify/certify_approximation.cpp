// In order of cost: importance sampling from the draws themselves, with their gradients; modes that others
// have found; chains, only where the first two leave something to be met. Raw draws are certified where their
// error is small enough; else the reweighted ones, where the weights allow it.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <future>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>

#include "base/random.hpp"
#include "base/stop.hpp"
#include "base/try_thread.hpp"
#include "certify/certify.hpp"
#include "certify/chain_witness.hpp"
#include "certify/confidence.hpp"
#include "certify/evidence.hpp"
#include "certify/importance_witness.hpp"
#include "certify/quantities.hpp"
#include "certify/stein_warning.hpp"
#include "certify/student_draws.hpp"
#include "certify/verdict.hpp"
#include "infer/algorithm.hpp"
#include "posterior/posterior.hpp"
#include "stats/psis.hpp"

namespace kullback::certify {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kLanes = 64;
constexpr std::size_t kChains = 256;
constexpr std::size_t kLooks[] = {8, 16, 32, 64};  // transitions after which the chains are asked
constexpr std::size_t kLeastDraws = 100;
constexpr std::size_t kSteinDraws = 128;  // for a warning: pairs of them, and as many replicates
constexpr double kHeavyTail = 0.5;        // of a marginal: its variance may be infinite

// Sets log p of the draws; gradients point after point, zeros where a density is not finite.
std::vector<double> evaluate_at(density::LogDensity& density, infer::Draws& draws) {
  const std::size_t dim = draws.dim;
  const std::size_t count = draws.theta.size() / dim;
  std::vector<double> result(draws.theta.size());
  draws.log_density.resize(count);
  for (std::size_t first = 0; first < count; first += kLanes) {
    const std::size_t lanes = std::min(kLanes, count - first);
    std::vector<double> theta(dim * lanes), gradient(dim * lanes), log_p(lanes);
    std::vector<density::Status> status(lanes);
    for (std::size_t k = 0; k < lanes; ++k) {
      for (std::size_t i = 0; i < dim; ++i) theta[i * lanes + k] = draws.theta[(first + k) * dim + i];
    }
    density.evaluate({lanes, theta.data(), log_p.data(), gradient.data(), status.data()});
    for (std::size_t k = 0; k < lanes; ++k) {
      draws.log_density[first + k] =
          status[k] == density::Status::ok ? log_p[k] : -std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < dim; ++i) {
        const double value = gradient[i * lanes + k];
        const bool is_ok = status[k] == density::Status::ok && std::isfinite(value);
        result[(first + k) * dim + i] = is_ok ? value : 0;
      }
    }
  }
  return result;
}

// Quantities that do not vary (the diagonal of a correlation matrix) have no error.
std::vector<std::size_t> varying(const std::vector<double>& values, std::size_t quantities,
                                 std::size_t count) {
  std::vector<std::size_t> result;
  for (std::size_t j = 0; j < quantities; ++j) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(j * count);
    const auto [least, most] = std::minmax_element(first, first + static_cast<std::ptrdiff_t>(count));
    if (*most - *least > 1e-12 * std::max(std::abs(*most), std::abs(*least))) result.push_back(j);
  }
  return result;
}

// Draws of a proposal, with what importance sampling makes of them.
struct Sample {
  infer::Draws draws;
  std::vector<double> values;
  std::vector<double> log_ratios;
  std::optional<SteinControls> controls;
  std::optional<ImportanceWitness> witness;

  Sample(infer::Draws given, density::LogDensity& density, Quantities quantities) : draws(std::move(given)) {
    const std::vector<double> gradients = evaluate_at(density, draws);
    const std::size_t count = draws.count();
    values = quantities.evaluate(draws.theta, count);
    for (std::size_t i = 0; i < count; ++i) log_ratios.push_back(draws.log_density[i] - draws.log_q[i]);
    const ValuedPoints points{draws.dim, count, quantities.count(), draws.theta, values};
    const std::vector<double> equal(count, 1 / static_cast<double>(count));
    controls.emplace(points, equal);
    witness.emplace(
        points, log_ratios,
        controls->is_available() ? controls->evaluate(count, draws.theta, gradients) : std::vector<double>());
  }
  Sample(const Sample&) = delete;
  Sample& operator=(const Sample&) = delete;
};

class Judge final {
 public:
  Judge(const infer::Draws& draws, density::LogDensity& density, model::OutputWriter& outputs,
        const ModeSearch& modes, const Terms& terms)
      : draws_(draws), density_(density), outputs_(outputs), modes_(modes), terms_(terms) {}

  Judged judge() {
    const Clock::time_point began = Clock::now();
    Certificate& certificate = judged_.certificate;
    certificate.tolerance = terms_.tolerance;
    certificate.certified = Certified::raw;
    if (draws_.count() < kLeastDraws) {
      certificate.reasons.push_back(
          {ReasonCode::few_draws,
           fmt::format("{} draws are too few to judge by; {} are needed.", draws_.count(), kLeastDraws)});
    } else {
      ask_weights();
      choose_draws();
      ask_modes();
      if (can_be_met() || terms_.seeks_proof) {
        std::future<SteinWarning> warning = begin_warning();
        ask_chains();
        take_warning(warning.get());
      }
      settle();
    }
    certificate.cost.seconds = std::chrono::duration<double>(Clock::now() - began).count();
    return std::move(judged_);
  }

 private:
  // Of two proposals and the looks at the chains.
  double factor(double dof) const {
    return interval_factor(2 * judged_quantities_.size() * (2 + std::size(kLooks)) * terms_.rungs, dof);
  }

  void ask_weights();
  void choose_draws();
  void ask_wider();
  void use(const Sample& sample);
  bool is_supported_by_weights() const;
  void ask_modes();
  bool can_be_met() const;
  void ask_chains();
  std::future<SteinWarning> begin_warning();
  void take_warning(const SteinWarning& warning);
  void take_chain_testimony(const ChainWitness& witness);
  void judge_parameters();
  void settle();
  // Of judged quantity p.
  std::span<const double> values_of(std::size_t p) const {
    return std::span(own_->values).subspan(judged_quantities_[p] * draws_.count(), draws_.count());
  }
  std::vector<GivenMoments> given(const std::vector<double>& weights) const;
  const GivenMoments& given_quartiles(std::size_t p);
  void set_given(const std::vector<double>& weights);
  void take_weight_testimony();
  std::vector<double> chain_starts() const;
  void explain();
  void explain_weights();

  const infer::Draws& draws_;
  density::LogDensity& density_;
  model::OutputWriter& outputs_;
  const ModeSearch& modes_;
  const Terms& terms_;
  Judged judged_;
  std::vector<std::size_t> judged_quantities_;
  std::optional<Sample> own_;
  std::optional<Sample> wider_;                    // Student's t with the moments of the draws
  const ImportanceWitness* importance_ = nullptr;  // of the proposal that is used
  std::vector<GivenMoments> given_;                // by judged quantity
  std::vector<double> given_weights_;              // empty: all equal
  double log_evidence_ = 0;
};

void Judge::ask_weights() {
  Certificate& certificate = judged_.certificate;
  const Quantities quantities(outputs_);
  own_.emplace(draws_, density_, quantities);
  certificate.cost.gradients += draws_.count();
  judged_quantities_ = varying(own_->values, quantities.count(), draws_.count());
  for (const std::size_t j : judged_quantities_) {
    certificate.parameters.push_back(
        {.name = posterior::display_name(quantities.name(j)), .location = {}, .scale = {}});
  }
  use(*own_);
  const auto is_finite = [](double ratio) { return std::isfinite(ratio); };
  if (!std::any_of(own_->log_ratios.begin(), own_->log_ratios.end(), is_finite)) return;
  const Evidence evidence = estimate_evidence(own_->log_ratios);
  certificate.evidence = to_json(evidence);
  log_evidence_ = evidence.smoothed.value;
}

// Judges by the weights of this sample.
void Judge::use(const Sample& sample) {
  Certificate& certificate = judged_.certificate;
  importance_ = &*sample.witness;
  certificate.proposal =
      &sample == &*own_ ? "the draws themselves" : "Student t with the moments of the draws";
  certificate.khat = importance_->khat();
  certificate.khat_limit = importance_->khat_limit();
  certificate.ess = importance_->ess();
  for (std::size_t p = 0; p < judged_quantities_.size(); ++p)
    certificate.parameters[p].khat = importance_->khat(judged_quantities_[p]);
}

std::vector<GivenMoments> Judge::given(const std::vector<double>& weights) const {
  std::vector<GivenMoments> result;
  for (std::size_t p = 0; p < judged_quantities_.size(); ++p)
    result.push_back(given_moments(values_of(p), weights));
  return result;
}

const GivenMoments& Judge::given_quartiles(std::size_t p) {
  if (std::isnan(given_[p].median)) add_quartiles(values_of(p), given_weights_, given_[p]);
  return given_[p];
}

void Judge::set_given(const std::vector<double>& weights) {
  given_weights_ = weights;
  given_ = given(weights);
  take_weight_testimony();
  judge_parameters();
}

bool Judge::is_supported_by_weights() const {
  const auto is_supported = [&](const Moment& moment) {
    return moment.importance && moment.importance->supports &&
           is_inside(moment.importance->error, terms_.tolerance);
  };
  const auto& parameters = judged_.certificate.parameters;
  return std::all_of(parameters.begin(), parameters.end(), [&](const ParameterCertificate& parameter) {
    return is_supported(parameter.location) && is_supported(parameter.scale);
  });
}

// Raw draws where weights find them good enough, or where nothing better can be had.
void Judge::choose_draws() {
  set_given({});
  if (is_supported_by_weights()) return;
  set_given(importance_->weights());
  if (is_supported_by_weights()) {
    judged_.certificate.certified = Certified::reweighted;
    judged_.weights = importance_->weights();
    return;
  }
  set_given({});
  if (judged_.certificate.verdict == Verdict::cannot_tell) ask_wider();
}

// The weights of a proposal with tails like a normal's may have heavy tails where the answer is good.
void Judge::ask_wider() {
  wider_.emplace(student_draws(draws_.theta, draws_.dim, draws_.count(), terms_.seed), density_,
                 Quantities(outputs_));
  judged_.certificate.cost.gradients += draws_.count();
  if (!(wider_->witness->khat() < own_->witness->khat())) return;
  use(*wider_);
  set_given({});
}

void Judge::take_weight_testimony() {
  const double width = factor(importance_->ess() - 1);
  for (std::size_t p = 0; p < judged_quantities_.size(); ++p) {
    ParameterCertificate& parameter = judged_.certificate.parameters[p];
    const std::size_t j = judged_quantities_[p];
    parameter.location.given = parameter.by_quantiles ? given_quartiles(p).median : given_[p].mean;
    parameter.scale.given = parameter.by_quantiles ? given_quartiles(p).iqr : given_[p].sd;
    parameter.location.importance.reset();
    parameter.scale.importance.reset();
    // The distribution function is bounded: it needs the tail of the weights alone.
    if (parameter.by_quantiles ? importance_->khat() >= importance_->khat_limit() : !importance_->supports(j))
      continue;
    if (parameter.by_quantiles) {
      const QuartileEstimate truth = importance_->quartiles(j, width);
      parameter.location.importance = Testimony{median_error(given_quartiles(p), truth), true};
      parameter.scale.importance = Testimony{iqr_error(given_quartiles(p), truth), true};
    } else {
      const MomentEstimate& truth = importance_->moments(j);
      parameter.location.importance = Testimony{mean_error(given_[p], truth, width), true};
      parameter.scale.importance = Testimony{sd_error(given_[p], truth, width), true};
    }
  }
}

void Judge::judge_parameters() {
  std::vector<Verdict> verdicts;
  for (ParameterCertificate& parameter : judged_.certificate.parameters) {
    parameter.location.verdict = judge_moment(parameter.location, terms_.tolerance);
    parameter.scale.verdict = judge_moment(parameter.scale, terms_.tolerance);
    parameter.verdict = all_of({parameter.location.verdict, parameter.scale.verdict});
    verdicts.push_back(parameter.verdict);
  }
  judged_.certificate.verdict = all_of(verdicts);
}

void Judge::ask_modes() {
  if (importance_->khat() >= importance_->khat_limit()) return;  // the evidence is not known
  const std::vector<double> equal(draws_.count(), 1 / static_cast<double>(draws_.count()));
  const std::vector<double>& weights = judged_.weights.empty() ? equal : judged_.weights;
  std::vector<double> center(draws_.dim);
  for (std::size_t i = 0; i < draws_.count(); ++i) {
    for (std::size_t d = 0; d < draws_.dim; ++d) center[d] += weights[i] * draws_.theta[i * draws_.dim + d];
  }
  const Scaling scaling = scaling_of(draws_.theta, draws_.dim, weights);
  std::uint64_t& gradients = judged_.certificate.cost.gradients;
  ModeSearch all = modes_;
  if (is_supported_by_weights()) {
    const ModeSearch around = search_around(density_, terms_.seed, center, scaling.sd);
    all.climbs.insert(all.climbs.end(), around.climbs.begin(), around.climbs.end());
    gradients += around.gradients;
  }
  judged_.certificate.other_modes =
      uncovered_modes(density_, all, {center, scaling.sd, log_evidence_}, terms_, gradients);
}

// Nothing is refuted, and the weights support all of it.
bool Judge::can_be_met() const {
  return judged_.certificate.other_modes.empty() && is_supported_by_weights();
}

// Different draws of the approximation with finite densities; of reweighted ones, by their weights.
std::vector<double> Judge::chain_starts() const {
  std::vector<std::size_t> chosen;
  if (judged_.weights.empty()) {
    const std::size_t stride = std::max<std::size_t>(1, draws_.count() / kChains);
    for (std::size_t i = 0; i < draws_.count() && chosen.size() < kChains; i += stride) {
      if (std::isfinite(draws_.log_density[i])) chosen.push_back(i);
    }
  } else {  // systematic resampling
    Random random(terms_.seed, 0, static_cast<std::uint32_t>(infer::Purpose::certificate), ~0U);
    double place = random.uniform() / kChains;
    double sum = 0;
    for (std::size_t i = 0; i < draws_.count(); ++i) {
      for (sum += judged_.weights[i]; place < sum && chosen.size() < kChains; place += 1.0 / kChains)
        chosen.push_back(i);
    }
  }
  chosen.resize(chosen.size() / kLanes * kLanes);
  std::vector<double> starts;
  for (const std::size_t i : chosen) {
    const auto first = draws_.theta.begin() + static_cast<std::ptrdiff_t>(i * draws_.dim);
    starts.insert(starts.end(), first, first + static_cast<std::ptrdiff_t>(draws_.dim));
  }
  return starts;
}

void Judge::ask_chains() {
  Certificate& certificate = judged_.certificate;
  const std::vector<double> starts = chain_starts();
  if (starts.empty()) {
    certificate.reasons.push_back(
        {ReasonCode::no_starts, "Too few draws have a finite density to start chains from."});
    return;
  }
  const std::vector<double> equal(draws_.count(), 1 / static_cast<double>(draws_.count()));
  const Scaling scaling =
      scaling_of(draws_.theta, draws_.dim, judged_.weights.empty() ? equal : judged_.weights);
  std::vector<double> centers(outputs_.parameter_columns());
  for (std::size_t p = 0; p < judged_quantities_.size(); ++p) centers[judged_quantities_[p]] = given_[p].mean;
  ChainWitness witness(density_, outputs_, scaling, *own_->controls, starts, centers,
                       {terms_.seed, terms_.threads, terms_.should_stop});
  const bool looks_once = !can_be_met();
  for (const std::size_t look : kLooks) {
    judged_.is_stopped = !witness.run_until(look);
    if (judged_.is_stopped) break;
    take_chain_testimony(witness);
    judge_parameters();
    if (looks_once || certificate.verdict != Verdict::cannot_tell) break;
  }
  certificate.cost.gradients += witness.gradients();
  certificate.chains = witness.facts();
}

// Of the draws as they are; a warning only. Beside the chains, where the density has a clone for it.
std::future<SteinWarning> Judge::begin_warning() {
  std::shared_ptr<density::LogDensity> own = terms_.threads > 1 ? density_.clone() : nullptr;
  const auto warning = [this, own] {
    return stein_warning(own != nullptr ? *own : density_, draws_.theta,
                         {.max_draws = kSteinDraws, .replicates = kSteinDraws, .seed = terms_.seed});
  };
  return own != nullptr ? async_where_possible(warning) : std::async(std::launch::deferred, warning);
}

void Judge::take_warning(const SteinWarning& warning) {
  judged_.certificate.cost.gradients += warning.gradients;
  judged_.certificate.stein = to_json(warning);
  if (!warning.is_warning) return;
  judged_.certificate.notes.push_back(
      fmt::format("The kernel Stein discrepancy of the raw draws from the posterior is not 0 ({:.2g}, {:.2g} "
                  "to {:.2g}): with "
                  "draws enough it never is, and it decides nothing.",
                  warning.ksd_squared, warning.lower, warning.upper));
}

void Judge::take_chain_testimony(const ChainWitness& witness) {
  const double width = factor(static_cast<double>(witness.chains() - 1));
  bool has_changed = false;
  for (std::size_t p = 0; p < judged_quantities_.size(); ++p) {
    ParameterCertificate& parameter = judged_.certificate.parameters[p];
    const std::size_t j = judged_quantities_[p];
    if (!parameter.by_quantiles && stats::tail_khat(witness.states(j)) >= kHeavyTail)
      parameter.by_quantiles = has_changed = true;
    const double mean_rho = witness.mean_autocorrelation(j);
    const double square_rho = witness.square_autocorrelation(j);
    const bool supports = witness.supports(j);
    parameter.autocorrelation = std::max(mean_rho, square_rho);
    // What has drifted is part of the error: it refutes as it is, and supports only with the rest, so that
    // both are in the interval.
    const auto whole = [&](const Interval& drift, double rho) {
      const double scale = supports ? 1 / (1 - rho) : 1.0;
      return Testimony{{drift.estimate * scale, std::min(drift.low, drift.low * scale),
                        std::max(drift.high, drift.high * scale)},
                       supports};
    };
    if (parameter.by_quantiles) {
      const QuartileEstimate truth = witness.quartiles(j, width);
      parameter.location.chains = whole(median_error(given_quartiles(p), truth), mean_rho);
      parameter.scale.chains = whole(iqr_error(given_quartiles(p), truth), square_rho);
    } else {
      const MomentEstimate truth = witness.moments(j);
      parameter.location.chains = whole(mean_error(given_[p], truth, width), mean_rho);
      parameter.scale.chains = whole(sd_error(given_[p], truth, width), square_rho);
    }
  }
  if (has_changed) take_weight_testimony();
}

void Judge::settle() {
  Certificate& certificate = judged_.certificate;
  judge_parameters();
  if (!certificate.other_modes.empty() && certificate.verdict == Verdict::met)
    certificate.verdict = Verdict::cannot_tell;
  explain();
}

// Why the weights do not support the answer.
void Judge::explain_weights() {
  Certificate& certificate = judged_.certificate;
  const auto heaviest = std::max_element(certificate.parameters.begin(), certificate.parameters.end(),
                                         [](const auto& a, const auto& b) { return a.khat < b.khat; });
  if (heaviest->khat >= certificate.khat_limit) {
    certificate.reasons.push_back(
        {ReasonCode::heavy_tail, fmt::format("Weighted values of {} have too heavy a tail to judge by: k-hat "
                                             "{:.2f}, it must be below {:.2f}.",
                                             heaviest->name, heaviest->khat, certificate.khat_limit)});
    return;
  }
  certificate.reasons.push_back(
      {ReasonCode::few_draws,
       fmt::format("{} draws, worth {:.0f} after weighting, are too few to decide whether every error is "
                   "within the tolerance.",
                   draws_.count(), certificate.ess)});
}

void Judge::explain() {
  Certificate& certificate = judged_.certificate;
  const auto worst = [&](Verdict verdict) -> const ParameterCertificate* {
    for (const ParameterCertificate& parameter : certificate.parameters) {
      if (parameter.verdict == verdict) return &parameter;
    }
    return nullptr;
  };
  if (const ParameterCertificate* refuted = worst(Verdict::not_met)) {
    const auto count = std::count_if(certificate.parameters.begin(), certificate.parameters.end(),
                                     [](const auto& p) { return p.verdict == Verdict::not_met; });
    certificate.reasons.push_back(
        {ReasonCode::off,
         fmt::format("{} of {} parameters are off by more than the tolerance, {} among them.", count,
                     certificate.parameters.size(), refuted->name)});
  }
  if (!certificate.other_modes.empty()) {
    const OtherMode& mode = certificate.other_modes.front();
    certificate.reasons.push_back(
        {ReasonCode::other_mode,
         fmt::format(
             "There is a mode {:.0f} standard deviations away from the draws, with at least {:.2g} of "
             "their mass.",
             mode.distance, std::exp(mode.log_share))});
  }
  if (certificate.khat >= certificate.khat_limit) {
    certificate.reasons.push_back(
        {ReasonCode::uneven_weights,
         fmt::format(
             "The importance weights are too uneven to judge by: k-hat {:.2f}, it must be below {:.2f}.",
             certificate.khat, certificate.khat_limit)});
  } else if (certificate.verdict == Verdict::cannot_tell && !is_supported_by_weights()) {
    explain_weights();
  }
  if (certificate.verdict == Verdict::cannot_tell && certificate.chains && is_supported_by_weights()) {
    const bool has_moved = certificate.chains->autocorrelation <= ChainWitness::kMaxAutocorrelation;
    certificate.reasons.push_back(
        has_moved
            ? Reason{ReasonCode::wide_intervals,
                     fmt::format("{} chains of {} transitions leave intervals wider than the tolerance.",
                                 certificate.chains->chains, certificate.chains->transitions)}
            : Reason{ReasonCode::stuck,
                     fmt::format("Chains from the draws have not forgotten where they started after {} "
                                 "transitions (autocorrelation {:.2f}): they cannot speak for the answer.",
                                 certificate.chains->transitions, certificate.chains->autocorrelation)});
  }
}

}  // namespace

Judged certify_approximation(const infer::Draws& draws, density::LogDensity& density,
                             model::OutputWriter& outputs, const ModeSearch& modes, const Terms& terms) {
  return Judge(draws, density, outputs, modes, terms).judge();
}

}  // namespace kullback::certify
