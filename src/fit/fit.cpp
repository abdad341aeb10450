#include "fit/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/json.hpp"
#include "fit/finish.hpp"
#include "fit/fixed.hpp"
#include "fit/folder.hpp"
#include "fit/gather.hpp"
#include "fit/judge.hpp"
#include "fit/pool.hpp"
#include "fit/record.hpp"
#include "fit/starts.hpp"

namespace kullback::fit {

namespace {

using Clock = std::chrono::steady_clock;

// The chains of this rank: those whose number leaves its own when divided by the number of ranks.
std::vector<std::uint32_t> chains_here(const Request& request, const Ranks& ranks) {
  std::vector<std::uint32_t> mine;
  for (std::size_t c = 0; c < request.chains; ++c) {
    if (c % static_cast<std::size_t>(ranks.size()) == static_cast<std::size_t>(ranks.rank()))
      mine.push_back(static_cast<std::uint32_t>(c));
  }
  return mine;
}

void settle_method(Request& request, const LoadedModel& model) {
  if (model.density->dim() == 0) request.method = &fixed_method();
  if (!request.method->has_chains) request.chains = 1;
  if (request.tolerance && model.density->dim() > 0) check_can_be_judged(*request.method, request.options);
  if (request.sensitivity && model.stan == nullptr) {
    throw Error(ErrorKind::usage,
                "--sensitivity needs a Stan program: a shared library does not tell its prior.",
                "Leave --sensitivity out.");
  }
}

void begin(const Request& request, const posterior::RunRecord& record, const LoadedModel& model,
           const Ranks& ranks) {
  if (ranks.is_first()) {
    if (request.resume)
      remove_torn_files(request.out);
    else
      begin_folder(request.out, record, model.program->text, request.force);
    add_event(request.out, request.resume ? "resume" : "start",
              fmt::format("\"method\": {}, \"chains\": {}, \"seed\": {}", json_string(record.method),
                          record.chains, record.seed));
  }
  ranks.barrier();
  std::error_code problem;
  const std::filesystem::path partial = partial_folder(request.out);
  std::filesystem::create_directories(partial, problem);  // on a machine with a disk of its own
  if (problem) {
    throw Error(ErrorKind::cannot_write,
                fmt::format("{}: cannot be made: {}.", partial.string(), problem.message()),
                "Unfinished chains are saved there; choose another folder with --out.");
  }
}

void certify_outcome(const Request& request, const LoadedModel& model, const Watch& watch,
                     std::vector<FinishedChain>& chains, Outcome& outcome) {
  const bool is_whole = !chains.empty() && std::all_of(chains.begin(), chains.end(), [](const auto& chain) {
    return chain.result.is_finished && chain.chain.draws > 0;
  });
  if (!is_whole || model.density->dim() == 0) return;
  const certify::Terms terms = terms_of(request, watch.should_stop);
  const certify::ModeSearch modes = request.method->has_log_q
                                        ? certify::search_modes(*model.density, request.seed)
                                        : certify::ModeSearch{};
  certify::Judged judged = judge(request, model, modes, chains, terms);
  if (!judged.is_stopped) outcome.certificate = std::move(judged.certificate);
}

}  // namespace

Outcome run(Request request, const LoadedModel& model, const Ranks& ranks, const Watch& watch) {
  const Clock::time_point began = Clock::now();
  settle_method(request, model);
  Outcome outcome;
  outcome.record = make_record(request, model);
  if (request.resume) continue_record(request.out, outcome.record);
  std::vector<infer::Start> starts =
      find_starts(request, model, chains_here(request, ranks), outcome.summary.findings);
  if (ranks.is_first() && !starts.empty()) check_start(model, starts.front(), outcome.summary.findings);
  begin(request, outcome.record, model, ranks);
  std::vector<FinishedChain> chains;
  try {
    chains = gather(run_chains(request, model, std::move(starts), watch), ranks);
  } catch (const Error&) {
    if (ranks.size() == 1) remove_without_draws(request.out);
    throw;
  }
  if (!ranks.is_first()) return outcome;
  if (request.tolerance) certify_outcome(request, model, watch, chains, outcome);
  outcome.record.seconds += std::chrono::duration<double>(Clock::now() - began).count();
  finish(request, model, std::move(chains), outcome);
  return outcome;
}

}  // namespace kullback::fit
