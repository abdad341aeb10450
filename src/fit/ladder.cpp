// fit/rungs.cpp says which rungs there are and when each is climbed. An approximation is climbed in one go;
// chains are made longer until their standard errors are small enough. Half of the chains start from the best
// approximation so far, the others anywhere: what it has missed they may find. Each rung has its own folder
// of saved states, so that a run that goes on passes the finished rungs in the time of their certificates.
#include "fit/ladder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <future>
#include <limits>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/random.hpp"
#include "base/stop.hpp"
#include "base/stop_timer.hpp"
#include "base/try_thread.hpp"
#include "certify/wasserstein.hpp"
#include "fit/begin.hpp"
#include "fit/chain_outputs.hpp"
#include "fit/finish.hpp"
#include "fit/judge.hpp"
#include "fit/pool.hpp"
#include "fit/record.hpp"
#include "fit/rungs.hpp"
#include "fit/starts.hpp"
#include "infer/archive.hpp"
#include "infer/mcmc/options.hpp"
#include "infer/optimize/options.hpp"
#include "run/folder.hpp"

namespace kullback::fit {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kFirstDraws = 500;  // of each chain; doubled
constexpr std::size_t kHopelessAfter = 2000;
constexpr double kHopelessRhat = 1.05;
constexpr std::size_t kLeastChainDraws = 100;
// From the end of the budget until a step of a method is cut short.
constexpr std::chrono::milliseconds kBudgetGrace{50};
constexpr double kOutputSeconds = 0.2;      // after the budget, for the columns of the draws and their files
constexpr double kSecondsPerNumber = 1e-7;  // to sum up and write one

// An answer with what is said of it.
struct Answer {
  Request request;
  std::vector<FinishedChain> chains;
  certify::Certificate certificate;
};

class Ladder final {
 public:
  Ladder(Request request, const LoadedModel& model, const Ranks& ranks, const Watch& watch)
      : request_(std::move(request)), model_(model), ranks_(ranks), user_(watch) {
    facts_.dim = model.density->dim();
    is_asked_ = request_.tolerance.has_value();
    if (!is_asked_) request_.tolerance = kDefaultTolerance;
    watch_.on_progress = watch.on_progress;
    watch_.should_stop = [this] { return user_.should_stop() || is_over_budget(); };
    if (request_.budget) timer_.emplace(over_budget_, began_ + seconds(*request_.budget));
  }

  Outcome climb();

 private:
  static Clock::duration seconds(double count) {
    constexpr double kLongest = 1e9;  // a clock holds no more than 292 years
    return std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(std::min(count, kLongest)));
  }
  bool is_over_budget() const { return over_budget_.is_asked(); }
  bool is_met() const { return best_ && best_->certificate.verdict == certify::Verdict::met; }

  std::shared_future<certify::ModeSearch> begin_mode_search() const;
  void climb_rungs();
  void climb_approximations();
  void climb_chains();
  Request rung_request(const RungRecord& rung) const;
  bool try_approximation(const RungRecord& record);
  bool sample(const RungRecord& record);
  bool sample_once(const Request& rung, const std::vector<infer::Start>& starts, std::size_t most_draws);
  certify::Judged judge_in_time(const Request& rung, std::vector<FinishedChain>& chains);
  certify::Certificate untold_certificate() const;
  std::vector<FinishedChain> run_in_time(const Request& rung, const std::vector<infer::Start>& starts);
  void keep_few(const Request& rung, std::vector<FinishedChain> chains);
  void note(const Request& rung, const certify::Certificate& certificate, std::uint64_t gradients);
  void keep(Answer answer);
  std::vector<infer::Start> chain_starts(const Request& rung);
  void share_verdict();
  void add_distances(const Answer& answer);
  void keep_affordable(ChainResult& result);
  bool write_outputs(Answer& answer);
  void say_budget_is_over(certify::Certificate& certificate) const;
  [[noreturn]] void refuse_without_draws() const;
  Outcome end();
  Outcome end_interrupted();

  Request request_;
  bool is_asked_ = false;  // the tolerance is the user's
  const LoadedModel& model_;
  const Ranks& ranks_;
  const Watch& user_;
  Watch watch_;
  Clock::time_point began_ = Clock::now();
  StopRequest over_budget_{heeded_stop(), kBudgetGrace};
  std::optional<StopTimer> timer_;
  std::string stage_ = "the search for a starting point";
  Outcome outcome_;
  std::shared_future<certify::ModeSearch> modes_;  // on the first rank
  std::optional<Answer> best_;
  LadderFacts facts_;                // of the approximations on the first rank only, of the chains on all
  std::vector<double> good_points_;  // draws of the best approximation, one for each chain
  bool is_done_ = false;             // met, stopped or out of time; the same on all ranks
};

void cut_draws(infer::Draws& draws, std::size_t count) {
  const std::size_t stats = draws.stats.size() / draws.count();
  draws.theta.resize(count * draws.dim);
  draws.log_density.resize(count);
  draws.log_q.resize(std::min(count, draws.log_q.size()));
  draws.log_weight.resize(std::min(count, draws.log_weight.size()));
  draws.stats.resize(count * stats);
}

certify::Terms terms_of_rung(const Request& request, const Watch& watch) {
  certify::Terms terms = terms_of(request, watch.should_stop);
  terms.rungs = kMostRungs;
  return terms;
}

Request Ladder::rung_request(const RungRecord& rung) const {
  Request made = request_;
  made.method = infer::find_method(rung.method);
  made.rung = rung.name;
  made.options = {};
  if (rung.target_accept > 0) made.options.set(infer::option::kTargetAccept, rung.target_accept);
  made.options.set(infer::option::kResample, false);
  if (!made.method->has_chains) {
    made.chains = 1;
    made.options.set(infer::option::kDraws, draws_for(*request_.tolerance));
    made.defers_outputs = true;
  }
  made.keeps_state =
      made.method->has_chains;  // what is made again in no time is not worth waiting for the disk
  return made;
}

// Exact answers before approximations; among these what cannot be told before what is refuted, then by the
// weights.
void Ladder::keep(Answer answer) {
  const auto rank = [](const Answer& a) {
    const bool is_exact = a.certificate.certified == certify::Certified::chains;
    return std::tuple(a.certificate.verdict == certify::Verdict::met, is_exact,
                      is_exact ? -a.certificate.chains->rhat : 0.0,
                      a.certificate.verdict == certify::Verdict::cannot_tell, -a.certificate.khat);
  };
  const bool is_longer = best_ && best_->request.rung == answer.request.rung;
  if (!best_ || is_longer || rank(answer) >= rank(*best_)) best_ = std::move(answer);
  facts_.khat = best_->certificate.khat;
}

void Ladder::note(const Request& rung, const certify::Certificate& certificate, std::uint64_t gradients) {
  const bool is_met = certificate.verdict == certify::Verdict::met;
  run::Rung made{std::string(rung.method->name), std::string(verdict_name(certificate.verdict)),
                 gradients + certificate.cost.gradients,
                 is_met || certificate.reasons.empty() ? "" : certificate.reasons.front().text};
  if (!rung.options.is_default(infer::option::kTargetAccept))
    made.method += " --target-accept " + rung.options.text_of(infer::option::kTargetAccept);
  auto& rungs = outcome_.record.rungs;
  outcome_.record.gradients += made.gradients;
  note_event(request_, "rung",
             fmt::format("\"method\": \"{}\", \"verdict\": \"{}\", \"gradients\": {}", made.method,
                         made.verdict, made.gradients));
  rungs.push_back(std::move(made));
}

// True where the ladder is done.
bool Ladder::try_approximation(const RungRecord& record) {
  is_done_ = is_done_ || watch_.should_stop();
  if (is_done_ || is_met()) return true;
  const Request rung = rung_request(record);
  stage_ = rung.rung;
  std::vector<FinishedChain> chains;
  try {
    chains = run_chains(rung, model_, find_starts(rung, model_, {0}, outcome_.summary.findings), watch_);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::internal || error.kind() == ErrorKind::cannot_write) throw;
    certify::Certificate none;
    none.reasons.push_back({certify::ReasonCode::no_draws, error.message()});
    note(rung, none, 0);
    return false;
  }
  is_done_ = !chains.front().result.is_finished;
  if (is_done_ && chains.front().result.draws.count() == 0) return true;
  certify::Certificate certificate;
  if (chains.front().result.draws.count() == 0) {
    const auto& findings = chains.front().result.findings;
    certificate.reasons.push_back(
        {certify::ReasonCode::no_draws, findings.empty() ? "It gave no draws." : findings.front().message});
    note(rung, certificate, chains.front().result.gradients);
    return false;
  }
  certify::Judged judged = judge_in_time(rung, chains);
  if (!is_done_ || is_over_budget()) note(rung, judged.certificate, chains.front().result.gradients);
  keep({rung, std::move(chains), std::move(judged.certificate)});
  return is_done_ || is_met();
}

// Draws that there was no time to judge are an answer, too, of which nothing can be told.
certify::Judged Ladder::judge_in_time(const Request& rung, std::vector<FinishedChain>& chains) {
  certify::Judged judged;
  judged.is_stopped = true;
  try {
    if (watch_.on_progress) watch_.on_progress({.stage = fmt::format("judging {}", rung.method->name)});
    if (!is_done_) judged = judge(rung, model_, modes_.get(), chains, terms_of_rung(rung, watch_));
  } catch (const Interrupted&) {
  }
  if (!judged.is_stopped) return judged;
  is_done_ = true;
  for (FinishedChain& chain : chains) {
    chain.result.is_finished = true;  // as far as the budget went
    chain.chain.log_weight.clear();
  }
  certify::Judged untold{.certificate = untold_certificate(), .weights = {}};
  untold.certificate.cost = judged.certificate.cost;
  return untold;
}

certify::Certificate Ladder::untold_certificate() const {
  certify::Certificate certificate;
  certificate.tolerance = *request_.tolerance;
  certificate.khat = std::numeric_limits<double>::infinity();
  certificate.reasons.push_back({certify::ReasonCode::unchecked, "There was no time to check the draws."});
  return certificate;
}

// Beside the first rung, where the density has a clone for it.
std::shared_future<certify::ModeSearch> Ladder::begin_mode_search() const {
  std::shared_ptr<density::LogDensity> own = request_.threads != 1 ? model_.density->clone() : nullptr;
  const auto search = [this, own] {
    return certify::search_modes(own != nullptr ? *own : *model_.density, request_.seed);
  };
  return own != nullptr ? async_where_possible(search) : std::async(std::launch::deferred, search);
}

// On the first rank: others would do the same.
void Ladder::climb_approximations() {
  modes_ = begin_mode_search();
  fit::climb(approximation_rungs(), facts_,
             [this](const RungRecord& rung) { return try_approximation(rung); });
  if (!is_done_) outcome_.record.gradients += modes_.get().gradients;
}

// What the first rank knows, on all ranks: whether chains are needed, and where half of them start.
void Ladder::share_verdict() {
  infer::Archive out;
  bool is_done = is_done_ || is_met();
  out.value(is_done);
  if (best_) {
    const infer::Draws& draws = best_->chains.front().result.draws;
    const std::size_t stride = std::max<std::size_t>(1, draws.count() / request_.chains);
    for (std::size_t c = 0; c < request_.chains && c * stride < draws.count(); ++c) {
      const auto first = draws.theta.begin() + static_cast<std::ptrdiff_t>(c * stride * draws.dim);
      good_points_.insert(good_points_.end(), first, first + static_cast<std::ptrdiff_t>(draws.dim));
    }
  }
  out.value(good_points_);
  if (ranks_.size() == 1) {
    is_done_ = is_done;
    return;
  }
  infer::Archive in(infer::to_numbers(ranks_.broadcast(infer::to_bytes(out.numbers()))));
  in.value(is_done_);
  in.value(good_points_);
}

std::vector<infer::Start> Ladder::chain_starts(const Request& rung) {
  std::vector<infer::Start> starts;
  try {
    starts = find_starts(rung, model_, chains_of_rank(rung, ranks_), outcome_.summary.findings);
  } catch (const Interrupted&) {  // run_in_time goes on from here
  }
  const std::size_t dim = model_.density->dim();
  for (infer::Start& start : starts) {
    if (start.chain % 2 == 1 || (start.chain + 1) * dim > good_points_.size()) continue;
    const auto first = good_points_.begin() + static_cast<std::ptrdiff_t>(start.chain * dim);
    start.theta.assign(first, first + static_cast<std::ptrdiff_t>(dim));
  }
  return starts;
}

// What all ranks take part in goes on also where a stop leaves this one without chains.
std::vector<FinishedChain> Ladder::run_in_time(const Request& rung, const std::vector<infer::Start>& starts) {
  try {
    return run_chains(rung, model_, starts, watch_);
  } catch (const Interrupted&) {
    return {};
  }
}

// Draws too few to be judged, where there are no others.
void Ladder::keep_few(const Request& rung, std::vector<FinishedChain> chains) {
  std::erase_if(chains, [](const FinishedChain& chain) { return chain.chain.draws == 0; });
  if (chains.empty()) return;
  certify::Certificate untold = untold_certificate();
  std::uint64_t gradients = 0;
  for (FinishedChain& chain : chains) {
    gradients += chain.result.gradients;
    chain.result.is_finished = true;  // as far as the budget went
  }
  note(rung, untold, gradients);
  keep({rung, std::move(chains), std::move(untold)});
}

// False where there is nothing more to be done with these chains.
bool Ladder::sample_once(const Request& rung, const std::vector<infer::Start>& starts,
                         std::size_t most_draws) {
  std::vector<FinishedChain> chains = gather(run_in_time(rung, starts), ranks_);
  bool goes_on = false;
  if (ranks_.is_first()) {
    const bool is_cut = chains.size() < rung.chains ||
                        std::any_of(chains.begin(), chains.end(),
                                    [](const FinishedChain& chain) { return !chain.result.is_finished; });
    is_done_ = is_cut;
    // Saved chains that are longer have passed this look.
    goes_on = std::any_of(chains.begin(), chains.end(), [&](const FinishedChain& chain) {
      return chain.chain.draws > rung.options[infer::option::kDraws];
    });
    const bool can_be_judged = !goes_on && chains.size() == rung.chains &&
                               std::all_of(chains.begin(), chains.end(), [](const FinishedChain& chain) {
                                 return chain.chain.draws >= kLeastChainDraws;
                               });
    if (can_be_judged) {
      certify::Judged judged = judge(rung, model_, modes_.get(), chains, terms_of_rung(rung, watch_));
      std::uint64_t gradients = 0;
      for (FinishedChain& chain : chains) {
        gradients += chain.result.gradients;
        chain.result.is_finished = true;  // as far as the budget went
      }
      judged.certificate.cost.gradients = 0;
      const double rhat = judged.certificate.chains->rhat;
      const bool is_hopeless =
          rung.options[infer::option::kDraws] >= kHopelessAfter && !(rhat < kHopelessRhat);
      facts_.diverged = has_reason(judged.certificate, certify::ReasonCode::diverged);
      facts_.disagree = has_reason(judged.certificate, certify::ReasonCode::disagree);
      const bool is_divergent = rung.options[infer::option::kDraws] >= 2 * kFirstDraws && facts_.diverged;
      goes_on = judged.certificate.verdict != certify::Verdict::met && !is_hopeless && !is_divergent &&
                !is_cut && rung.options[infer::option::kDraws] < most_draws;
      if (!goes_on) note(rung, judged.certificate, gradients);
      keep({rung, std::move(chains), std::move(judged.certificate)});
    } else if (is_cut && !best_) {
      keep_few(rung, std::move(chains));
    }
    is_done_ = is_done_ || is_met();  // other ranks have no answers: without this they would climb on alone
  }
  if (ranks_.size() > 1) {
    infer::Archive out;
    infer::Archive in;
    const auto share = [&](infer::Archive& archive) {
      archive.value(goes_on);
      archive.value(is_done_);
      archive.value(facts_.diverged);
      archive.value(facts_.disagree);
    };
    share(out);
    in = infer::Archive(infer::to_numbers(ranks_.broadcast(infer::to_bytes(out.numbers()))));
    share(in);
  }
  return goes_on;
}

// True where the tolerance is met or time is over.
bool Ladder::sample(const RungRecord& record) {
  Request rung = rung_request(record);
  rung.chains = request_.chains;
  stage_ = rung.rung;
  const std::vector<infer::Start> starts = chain_starts(rung);
  rung.options.set(infer::option::kDraws, kFirstDraws);
  while (sample_once(rung, starts, record.most_draws)) {
    rung.options.set(infer::option::kDraws, 2 * rung.options[infer::option::kDraws]);
    rung.resume = true;
  }
  return is_done_ || is_met();
}

void Ladder::climb_chains() {
  fit::climb(chain_rungs(), facts_, [this](const RungRecord& rung) { return sample(rung); });
}

Outcome Ladder::climb() {
  outcome_.record = make_record(request_, model_);
  note_ladder(outcome_.record, request_.chains, is_asked_);
  if (request_.resume) continue_record(request_.out, outcome_.record);
  outcome_.record.rungs.clear();
  begin_run(request_, outcome_.record, model_, ranks_);
  try {
    climb_rungs();
  } catch (const Error&) {
    abandon_run(request_, ranks_);
    throw;
  }
  if (!ranks_.is_first()) return std::move(outcome_);
  return end();
}

// The first rank alone tries approximations; the others wait for its verdict, also where it was stopped.
void Ladder::climb_rungs() {
  const StopScope scope(&over_budget_);
  try {
    if (ranks_.is_first()) {
      std::vector<infer::Start> start = find_starts(request_, model_, {0}, outcome_.summary.findings);
      check_start(model_, start.front(), outcome_.summary.findings);
      climb_approximations();
    }
  } catch (const Interrupted&) {
    is_done_ = true;
  }
  share_verdict();
  if (!is_done_) climb_chains();
}

// Once, of the answer that the user gets.
void Ladder::add_distances(const Answer& answer) {
  certify::Certificate& certificate = *outcome_.certificate;
  if (certificate.certified == certify::Certified::chains) return certify::refuse_wasserstein(certificate);
  const StopScope scope(&over_budget_);
  const std::uint64_t before = certificate.cost.gradients;
  try {
    certify::add_wasserstein(answer.chains.front().result.draws, *model_.density, request_.seed, certificate);
  } catch (const Interrupted&) {
    certificate.notes.push_back("There was no time to bound Wasserstein distances.");
  }
  outcome_.record.gradients += certificate.cost.gradients - before;
}

// Independent draws are as good without the last of them, where there is no time for the outputs of all.
void Ladder::keep_affordable(ChainResult& result) {
  infer::Draws& draws = result.draws;
  if (!is_over_budget() || draws.count() == 0) return;
  std::vector<double> row(model_.outputs->column_names().size());
  Random random(request_.seed, 0, static_cast<std::uint32_t>(infer::Purpose::generated_quantities), 0);
  const Clock::time_point began = Clock::now();
  model_.outputs->write(draws.theta.data(), random, row.data());
  const double each = std::chrono::duration<double>(Clock::now() - began).count() +
                      static_cast<double>(row.size()) * kSecondsPerNumber;
  const auto affordable = static_cast<std::size_t>(std::max(1.0, kOutputSeconds / each));
  if (affordable >= draws.count()) return;
  outcome_.summary.findings.push_back(
      {"budget",
       fmt::format("{} of {} draws are given: the budget left no time for the columns of the others.",
                   affordable, draws.count()),
       "", ""});
  cut_draws(draws, affordable);
}

// False where a stop came before all of them.
bool Ladder::write_outputs(Answer& answer) {
  if (!answer.request.defers_outputs) return true;
  FinishedChain& chain = answer.chains.front();
  keep_affordable(chain.result);
  std::vector<double> weights = std::move(chain.chain.log_weight);
  chain.chain = make_chain(answer.request, *model_.outputs, 0, chain.result, chain.problem);
  weights.resize(std::min(weights.size(), chain.chain.draws));
  chain.chain.log_weight = std::move(weights);
  return chain.chain.draws == chain.result.draws.count();
}

void Ladder::say_budget_is_over(certify::Certificate& certificate) const {
  if (!is_over_budget() || certificate.verdict == certify::Verdict::met) return;
  certificate.reasons.insert(
      certificate.reasons.begin(),
      {certify::ReasonCode::budget,
       fmt::format("The budget of {} s ended before an answer met the tolerance.", *request_.budget)});
}

void Ladder::refuse_without_draws() const {
  if (!is_over_budget())
    throw Error(ErrorKind::bad_input, "no method gave draws.",
                "`--method nuts` tells what is wrong with the model.");
  throw Error(
      ErrorKind::usage,
      fmt::format("--budget {} ended before any method had draws: {} was still running after {:.2g} s.",
                  *request_.budget, stage_, std::chrono::duration<double>(Clock::now() - began_).count()),
      fmt::format("Give it more time: `--budget {}`.", std::ceil(10 * std::max(1.0, *request_.budget))));
}

Outcome Ladder::end() {
  outcome_.record.seconds += std::chrono::duration<double>(Clock::now() - began_).count();
  bool is_stopped = user_.should_stop();  // not by the budget
  if (!best_ && !is_stopped) {
    if (request_.folder) request_.folder->abandon();  // the other ranks have ended
    refuse_without_draws();
  }
  const bool is_given = best_ && (!is_stopped || request_.out.empty());
  if (is_given && !write_outputs(*best_)) is_stopped = true;
  if (is_stopped) {
    outcome_.summary.findings.push_back(
        {"interrupted", "The run was interrupted before a rung was enough.", "", resume_hint(request_)});
    if (!best_ || !request_.out.empty()) return end_interrupted();
  }
  Answer& answer = *best_;
  run::RunRecord settled = make_record(answer.request, model_);
  note_ladder(settled, request_.chains, is_asked_);
  outcome_.record.method = settled.method;
  outcome_.record.chains = settled.chains;
  outcome_.record.options = settled.options;
  for (const FinishedChain& chain : answer.chains)
    outcome_.record.gradients -= chain.result.gradients;  // finish() adds them
  outcome_.certificate = std::move(answer.certificate);
  say_budget_is_over(*outcome_.certificate);
  if (request_.wasserstein && !is_stopped) add_distances(answer);
  finish(answer.request, model_, std::move(answer.chains), outcome_);
  if (is_stopped) {  // without a folder the best so far is what there is
    outcome_.is_interrupted = true;
    outcome_.record.status = "interrupted";
  }
  return std::move(outcome_);
}

// What the rungs have saved is in the folder.
Outcome Ladder::end_interrupted() {
  outcome_.is_interrupted = true;
  outcome_.record.status = "interrupted";
  outcome_.record.findings = outcome_.summary.findings;
  if (request_.folder) {
    request_.folder->finish(outcome_.record, "interrupted",
                            fmt::format("\"gradients\": {}", outcome_.record.gradients));
    outcome_.folder = request_.folder->path();
  }
  return std::move(outcome_);
}

std::unique_ptr<infer::Algorithm> refuse_to_make(density::LogDensity&, const infer::Options&, infer::Start) {
  throw Error(ErrorKind::internal, "the ladder of methods is no algorithm.");
}

}  // namespace

const infer::Method& auto_method() {
  static const infer::Method method{
      .name = "auto",
      .summary = "the cheapest method whose certificate meets the tolerance",
      .use_when =
          "Nothing else is asked for: Laplace, variational inference, a flow, then NUTS, each certified.",
      .citation = "",
      .has_chains = true,
      .is_exact = false,
      .options = {},
      .stats = {},
      .make = refuse_to_make,
  };
  return method;
}

Outcome run_ladder(Request request, const LoadedModel& model, const Ranks& ranks, const Watch& watch) {
  return Ladder(std::move(request), model, ranks, watch).climb();
}

}  // namespace kullback::fit
