#include "fit/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/stop.hpp"
#include "certify/wasserstein.hpp"
#include "fit/begin.hpp"
#include "fit/finish.hpp"
#include "fit/fixed.hpp"
#include "fit/gather.hpp"
#include "fit/judge.hpp"
#include "fit/kept_chains.hpp"
#include "fit/ladder.hpp"
#include "fit/pool.hpp"
#include "fit/record.hpp"
#include "fit/starts.hpp"

namespace kullback::fit {

namespace {

using Clock = std::chrono::steady_clock;

void settle_method(Request& request, const LoadedModel& model) {
  if (model.density->dim() == 0) request.method = &fixed_method();
  if (!request.method->has_chains) request.chains = 1;
  if (request.tolerance && model.density->dim() > 0 && request.method != &auto_method())
    check_can_be_judged(*request.method, request.options);
  if (request.sensitivity && model.stan == nullptr) {
    throw Error(ErrorKind::usage,
                "--sensitivity needs a Stan program: a shared library does not tell its prior.",
                "Leave --sensitivity out.");
  }
}

// Nothing where a stop came first.
std::optional<certify::Judged> judge_alone(const Request& request, const LoadedModel& model,
                                           std::vector<FinishedChain>& chains, const certify::Terms& terms) {
  try {
    const certify::ModeSearch modes = request.method->has_log_q
                                          ? certify::search_modes(*model.density, request.seed)
                                          : certify::ModeSearch{};
    certify::Judged judged = judge(request, model, modes, chains, terms);
    judged.certificate.cost.gradients += modes.gradients;
    if (!judged.is_stopped) return judged;
  } catch (const Interrupted&) {
  }
  return {};
}

void certify_outcome(const Request& request, const LoadedModel& model, const Watch& watch,
                     std::vector<FinishedChain>& chains, Outcome& outcome) {
  const bool is_whole = !chains.empty() && std::all_of(chains.begin(), chains.end(), [](const auto& chain) {
    return chain.result.is_finished && chain.chain.draws > 0;
  });
  if (!is_whole || model.density->dim() == 0) {
    outcome.certificate.emplace();
    outcome.certificate->tolerance = *request.tolerance;
    outcome.certificate->reasons.push_back({certify::ReasonCode::no_draws, "There are no draws to judge."});
    return;
  }
  std::optional<certify::Judged> judged =
      judge_alone(request, model, chains, terms_of(request, watch.should_stop));
  if (!judged) {
    outcome.summary.findings.push_back(
        {"interrupted", "The certificate was interrupted.", "",
         request.out.empty() ? std::string()
                             : fmt::format("kullback certify {} makes it.", folder_name(request))});
    return;
  }
  outcome.certificate = std::move(judged->certificate);
  if (request.wasserstein)
    certify::add_wasserstein(chains.front().result.draws, *model.density, request.seed, *outcome.certificate);
}

}  // namespace

Outcome run(Request request, const LoadedModel& model, const Ranks& ranks, const Watch& watch) {
  const Clock::time_point began = Clock::now();
  settle_method(request, model);
  if (request.out.empty()) request.kept = std::make_shared<KeptChains>();
  if (request.resume) take_up(request, ranks);
  if (request.method == &auto_method()) return run_ladder(std::move(request), model, ranks, watch);
  Outcome outcome;
  outcome.record = make_record(request, model);
  if (request.resume) continue_record(request.out, outcome.record);
  std::vector<infer::Start> starts =
      find_starts(request, model, chains_of_rank(request, ranks), outcome.summary.findings);
  if (ranks.is_first() && !starts.empty()) check_start(model, starts.front(), outcome.summary.findings);
  begin_run(request, outcome.record, model, ranks);
  std::vector<FinishedChain> chains;
  try {
    chains = gather(run_chains(request, model, std::move(starts), watch), ranks);
  } catch (const Error&) {
    abandon_run(request, ranks);
    throw;
  } catch (const Interrupted&) {  // before there was a chain
    abandon_run(request, ranks);
    throw;
  }
  if (!ranks.is_first()) return outcome;
  if (request.tolerance) certify_outcome(request, model, watch, chains, outcome);
  outcome.record.seconds += std::chrono::duration<double>(Clock::now() - began).count();
  finish(request, model, std::move(chains), outcome);
  return outcome;
}

}  // namespace kullback::fit
