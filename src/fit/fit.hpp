// One run from a request to a posterior in a folder.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "base/ranks.hpp"
#include "certify/certificate.hpp"
#include "fit/loaded_model.hpp"
#include "fit/request.hpp"
#include "infer/algorithm.hpp"
#include "posterior/posterior.hpp"
#include "posterior/summary.hpp"
#include "run/progress.hpp"
#include "run/record.hpp"

namespace kullback::fit {

using run::Watch;

struct Outcome {
  posterior::Posterior posterior;
  run::RunRecord record;
  posterior::Summary summary;
  std::optional<certify::Certificate> certificate;  // where one was asked for
  infer::Trace trace;                               // of the first chain; may be empty
  bool is_interrupted = false;
  std::filesystem::path folder = {};  // where the files are; empty: nowhere
};

// Runs the chains of this rank, gathers all on rank 0 and writes the folder there, unless request.out is
// empty; the outcome of other ranks has only the record. Throws Error.
Outcome run(Request request, const LoadedModel& model, const Ranks& ranks, const Watch& watch);

// What the method was asked for.
infer::Options options_of(const run::RunRecord& record);

// The draws are Markov chains, so that R-hat and effective sizes mean something.
bool is_markov(const run::RunRecord& record);

// The rows of its summary; lp__ only where a density was sampled.
std::vector<posterior::SummaryRow> summary_rows(const posterior::Posterior& posterior,
                                                const run::RunRecord& record);

// The request of an unfinished run in a folder. `threads` and such are the caller's to set. Throws Error.
Request request_of(const std::filesystem::path& folder);

}  // namespace kullback::fit
