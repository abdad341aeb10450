#include "fit/finish.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/interrupt.hpp"
#include "base/json.hpp"
#include "base/stop.hpp"
#include "base/try_thread.hpp"
#include "fit/begin.hpp"
#include "fit/finding_advice.hpp"
#include "fit/fixed.hpp"
#include "fit/program_findings.hpp"
#include "fit/reach.hpp"
#include "posterior/equal_weights.hpp"
#include "posterior/files.hpp"
#include "posterior/findings.hpp"
#include "run/folder.hpp"

namespace kullback::fit {

namespace {

using DataVariables = std::vector<posterior::DataVariable>;

void name_columns(const Request& request, const LoadedModel& model, posterior::Posterior& posterior) {
  posterior.names = model.outputs->column_names();
  posterior.parameters = model.outputs->parameter_columns();
  posterior.generated = model.outputs->generated_columns_begin();
  posterior.stat_names.assign(request.method->stats.begin(), request.method->stats.end());
}

void take_chains(std::vector<FinishedChain>& chains, posterior::Posterior& posterior) {
  for (FinishedChain& chain : chains) posterior.chains.push_back(std::move(chain.chain));
}

// Chains cut to the shortest would be none where one has not begun.
void drop_empty_chains(std::vector<FinishedChain>& chains) {
  std::erase_if(chains, [](const FinishedChain& chain) { return chain.chain.draws == 0; });
}

// The same words of several chains once.
void add_findings(const Findings& more, Findings& findings) {
  for (const Finding& finding : more) {
    const bool is_known = std::any_of(findings.begin(), findings.end(), [&](const Finding& known) {
      return known.code == finding.code && known.message == finding.message;
    });
    if (!is_known) findings.push_back(finding);
  }
}

void add_chain_findings(const std::vector<FinishedChain>& chains, Findings& findings) {
  for (const FinishedChain& chain : chains) {
    add_findings(chain.result.findings, findings);
    if (chain.problem.empty()) continue;
    add_findings({{"generated_quantities", "Some generated quantities could not be computed; they are NaN.",
                   chain.problem, "Guard the statement against the values it met."}},
                 findings);
  }
}

// Of several chains: what they have in common once, else the texts of one after another.
void take_facts(const std::vector<FinishedChain>& chains, run::RunRecord& record) {
  if (chains.empty()) return;
  record.facts = chains.front().result.facts;
  for (auto& [name, text] : record.facts) {
    std::string all;
    bool differs = false;
    for (const FinishedChain& chain : chains) {
      const infer::Facts& facts = chain.result.facts;
      const auto found =
          std::find_if(facts.begin(), facts.end(), [&name](const auto& fact) { return fact.first == name; });
      const std::string own = found == facts.end() ? "none" : found->second;
      differs = differs || own != text;
      all += (all.empty() ? "" : "; ") + own;
    }
    if (differs) text = all;
  }
}

void write_trace(run::RunFolder& folder, const infer::Trace& trace) {
  if (trace.columns.empty()) return;
  const std::size_t width = trace.columns.size();
  std::string text = fmt::format("{}\n", fmt::join(trace.columns, ","));
  for (std::size_t first = 0; first + width <= trace.values.size(); first += width) {
    const auto row = trace.values.begin() + static_cast<std::ptrdiff_t>(first);
    text += fmt::format("{}\n", fmt::join(row, row + static_cast<std::ptrdiff_t>(width), ","));
  }
  replace_file(folder.file("trace.csv"), text);
}

void add_interruption(const Request& request, const std::vector<FinishedChain>& chains, Findings& findings) {
  const auto unfinished = std::count_if(chains.begin(), chains.end(),
                                        [](const FinishedChain& chain) { return !chain.result.is_finished; });
  findings.push_back(
      {"interrupted",
       fmt::format("The run was interrupted: {} of {} chains had not finished.", unfinished, chains.size()),
       "", resume_hint(request)});
}

// Draws are of the posterior of `model`, and `chains` those of which some were drawn.
void summarize_into(const Request& request, const LoadedModel& model,
                    const std::vector<FinishedChain>& chains, Outcome& outcome) {
  posterior::FindingOptions options = finding_options(outcome.record);
  options.are_bounded = [&](std::span<const std::size_t> columns) {
    try {
      return are_bounded(*model.outputs, {outcome.posterior, chains}, columns, request.seed);
    } catch (const Interrupted&) {  // not known: the results are written all the same
      return std::vector<bool>(columns.size());
    }
  };
  outcome.summary.rows = summary_rows(outcome.posterior, outcome.record);
  add_findings(posterior::find_problems(outcome.posterior, outcome.summary.rows, options),
               outcome.summary.findings);
}

// Of the first draws() draws of each chain, chain after chain.
std::vector<double> joined(const std::vector<FinishedChain>& chains, std::size_t draws,
                           std::vector<double> FinishedChain::*of) {
  std::vector<double> all;
  for (const FinishedChain& chain : chains)
    all.insert(all.end(), (chain.*of).begin(), (chain.*of).begin() + static_cast<std::ptrdiff_t>(draws));
  return all;
}

void add_sensitivity(const std::vector<FinishedChain>& chains, Outcome& outcome) {
  const std::size_t draws = outcome.posterior.draws();
  add_findings(
      posterior::find_prior_conflict(outcome.posterior, joined(chains, draws, &FinishedChain::log_prior),
                                     joined(chains, draws, &FinishedChain::log_likelihood)),
      outcome.summary.findings);
}

// Each file waits for the disk: several at a time wait hardly longer than one. They come into place in the
// order in which they were added.
class NewFiles final {
 public:
  explicit NewFiles(run::RunFolder& folder) : folder_(folder) {}

  // `text` is made and written in a thread of its own; what it refers to must stay until the end.
  void add(const std::string& name, std::function<std::string()> text) {
    constexpr std::size_t kAtOnce = 8;
    if (files_.size() >= kAtOnce) files_[files_.size() - kAtOnce].wait();
    files_.push_back(async_where_possible(
        [path = folder_.file(name), text = std::move(text)] { return NewFile(path, text()); }));
  }

  // Of several that a full disk does not take, those that it takes stay. Throws what the first writer threw.
  void put_in_place() {
    std::exception_ptr problem;
    for (std::future<NewFile>& file : files_) {
      try {
        file.get().put_in_place();
      } catch (const Error&) {
        if (!problem) problem = std::current_exception();
      }
    }
    if (problem) std::rethrow_exception(problem);
  }

 private:
  run::RunFolder& folder_;
  std::vector<std::future<NewFile>> files_;
};

// Data for posterior.nc, which is made in memory: a copy of very many numbers would cost more than it is
// worth.
DataVariables short_enough(const DataVariables& data) {
  constexpr std::size_t kMostNumbers = 1'000'000;
  DataVariables kept;
  for (const posterior::DataVariable& variable : data) {
    const std::size_t count =
        std::accumulate(variable.dims.begin(), variable.dims.end(), std::size_t{1}, std::multiplies<>());
    if (count <= kMostNumbers) kept.push_back(variable);
  }
  return kept;
}

// The draws are in the CSV files too: a machine without netCDF loses nothing but this copy.
void add_arviz_file(const DataVariables& data, Outcome& outcome, NewFiles& files) {
  try {
    const auto bytes = std::make_shared<std::string>(
        posterior::netcdf_bytes(outcome.posterior, outcome.record, short_enough(data)));
    files.add("posterior.nc", [bytes] { return std::move(*bytes); });
  } catch (const Error& error) {
    const Finding finding{"netcdf", "posterior.nc was not written.", error.message(), error.hint()};
    outcome.summary.findings.push_back(finding);
    outcome.record.findings.push_back(finding);
  }
}

// Draws with weights have a file of their own: who reads chain-1.csv without the weights must not be misled.
void add_chain_files(const run::RunFolder& run, const Outcome& outcome, NewFiles& files) {
  const posterior::Posterior& posterior = outcome.posterior;
  if (posterior.draws() == 0) return;
  const auto folder = std::filesystem::absolute(run.out()).lexically_normal();
  const auto record = std::make_shared<run::RunRecord>(outcome.record);  // findings are added meanwhile
  if (!posterior.log_weight().empty()) {
    files.add("chain-1.csv", [&posterior, record, folder] {
      return posterior::csv_text(posterior::with_equal_weights(posterior, record->seed), 0, *record, folder);
    });
    files.add(posterior::kWeightedFile,
              [&posterior, record, folder] { return posterior::csv_text(posterior, 0, *record, folder); });
    return;
  }
  for (std::size_t c = 0; c < posterior.chains.size(); ++c) {
    files.add(fmt::format("chain-{}.csv", c + 1),
              [&posterior, c, record, folder] { return posterior::csv_text(posterior, c, *record, folder); });
  }
  if (posterior.chains.front().mode)
    files.add(posterior::kModeFile,
              [&posterior, record, folder] { return posterior::mode_csv_text(posterior, *record, folder); });
}

void write_files(run::RunFolder& folder, const DataVariables& data, Outcome& outcome, NewFiles& files) {
  if (outcome.certificate)
    files.add("certificate.json", [&] { return certify::to_json(*outcome.certificate); });
  if (outcome.posterior.draws() > 0) {
    add_arviz_file(data, outcome, files);
    files.add("summary.json", [&] { return posterior::to_json(outcome.summary); });
  }
  files.put_in_place();
  // Of a run that went on, `kullback certify` may have judged the draws that there were.
  if (!outcome.certificate) folder.drop("certificate.json");
  folder.drop("certificate-weights.csv");
  folder.finish(outcome.record, outcome.is_interrupted ? "interrupted" : "finish",
                fmt::format("\"gradients\": {}, \"findings\": {}", outcome.record.gradients,
                            outcome.record.findings.size()));
  outcome.folder = folder.path();
}

}  // namespace

std::vector<posterior::SummaryRow> summary_rows(const posterior::Posterior& posterior,
                                                const run::RunRecord& record) {
  std::vector<posterior::SummaryRow> rows = posterior::summarize(posterior, is_markov(record));
  const bool has_density = record.kind == run::Kind::posterior && record.method != fixed_method().name;
  if (!has_density) std::erase_if(rows, [](const posterior::SummaryRow& row) { return row.name == "lp__"; });
  return rows;
}

void finish(const Request& request, const LoadedModel& model, std::vector<FinishedChain> chains,
            Outcome& outcome) {
  const Unhurried finishing;
  Findings& findings = outcome.summary.findings;
  outcome.is_interrupted = std::any_of(chains.begin(), chains.end(),
                                       [](const FinishedChain& chain) { return !chain.result.is_finished; });
  if (outcome.is_interrupted) add_interruption(request, chains, findings);
  for (const FinishedChain& chain : chains) outcome.record.gradients += chain.result.gradients;
  add_chain_findings(chains, findings);
  take_facts(chains, outcome.record);
  if (!chains.empty()) outcome.trace = chains.front().result.trace;
  drop_empty_chains(chains);
  name_columns(request, model, outcome.posterior);
  take_chains(chains, outcome.posterior);
  outcome.record.status = outcome.is_interrupted ? "interrupted" : "complete";
  outcome.record.parameters = outcome.posterior.parameters;
  outcome.record.generated = outcome.posterior.generated;
  std::optional<NewFiles> files;
  if (request.folder) {
    write_trace(*request.folder, outcome.trace);
    add_chain_files(*request.folder, outcome, files.emplace(*request.folder));
  }
  if (outcome.posterior.draws() > 0) {
    summarize_into(request, model, chains, outcome);
    if (request.sensitivity && !outcome.is_interrupted) add_sensitivity(chains, outcome);
  }
  add_program_findings(model, chains, outcome);
  name_method(outcome.record, findings);
  outcome.record.findings = findings;
  if (!files) return;
  try {
    write_files(*request.folder, model.data, outcome, *files);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::cannot_write || !error.hint().empty()) throw;
    throw Error(error.kind(), error.message(),
                "What is finished stays; with room for the rest, " + resume_hint(request));
  }
}

void write_folder(const std::filesystem::path& out, bool force, const Origin& origin, Outcome outcome) {
  if (origin.data_text != nullptr) outcome.record.data = kept_data_path(out).string();
  run::check_may_replace(outcome.record, out);
  const auto folder = run::RunFolder::begin(out, outcome.record, origin.program_text, force);
  try {
    if (origin.data_text != nullptr) write_file(folder->file(kKeptData), *origin.data_text);
    folder->add_event("start", start_fields(outcome.record));
    write_trace(*folder, outcome.trace);
    NewFiles files(*folder);
    add_chain_files(*folder, outcome, files);
    write_files(*folder, origin.data, outcome, files);
  } catch (const Error&) {
    folder->abandon();
    throw;
  }
}

void finish_predictions(run::RunFolder& folder, const LoadedModel& model, std::vector<FinishedChain> chains,
                        Outcome& outcome) {
  add_chain_findings(chains, outcome.summary.findings);
  take_chains(chains, outcome.posterior);
  outcome.summary.rows = summary_rows(outcome.posterior, outcome.record);
  outcome.record.status = "complete";
  outcome.record.findings = outcome.summary.findings;
  outcome.record.parameters = 0;
  outcome.record.generated = 0;
  NewFiles files(folder);
  add_chain_files(folder, outcome, files);
  write_files(folder, model.data, outcome, files);
}

}  // namespace kullback::fit
