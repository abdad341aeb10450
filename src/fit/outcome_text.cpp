#include "fit/outcome_text.hpp"

#include <fmt/format.h>

#include "run/text.hpp"

namespace kullback::fit {

std::string head_text(const run::RunRecord& record, const posterior::Posterior& posterior) {
  const std::string name = std::filesystem::path(record.program).filename().string();
  const std::size_t draws = posterior.draws();
  std::string text = fmt::format("{}: {}", name, record.method);
  if (posterior.chains.size() > 1)
    text += fmt::format(", {} chains x {} draws", posterior.chains.size(), draws);
  else
    text += fmt::format(", {} draw{}", draws, draws == 1 ? "" : "s");
  return text + fmt::format(", seed {}", record.seed);
}

std::string findings_or_none(const run::RunRecord& record, const Findings& findings) {
  if (!findings.empty()) return run::findings_text(findings, kTableWidth);
  if (record.kind != run::Kind::posterior) return {};
  return is_markov(record)
             ? "No problems found: R-hat, effective sizes, tails and the sampler are in order.\n"
             : "No problems found; fewer checks exist for approximations than for chains.\n";
}

std::string facts_text(const run::RunRecord& record) {
  std::string text;
  std::size_t column = 0;
  for (const auto& [name, value] : record.facts) {
    const std::string fact = fmt::format("{} {}", name, value);
    const bool fits = column + 2 + fact.size() < kTableWidth;
    text += column == 0 ? fact : (fits ? ", " : ",\n") + fact;
    column = column == 0 || !fits ? fact.size() : column + 2 + fact.size();
  }
  return text.empty() ? text : text + "\n";
}

// One line for each method that was tried.
std::string rungs_text(const run::RunRecord& record) {
  std::string text;
  for (const run::Rung& rung : record.rungs) {
    std::string line = fmt::format("  {}: {}, {} gradients", rung.method, rung.verdict, rung.gradients);
    if (!rung.reason.empty()) line += ": " + rung.reason;
    text += line + "\n";
  }
  return text.empty() ? text : "Ladder:\n" + text;
}

std::string outcome_text(const Outcome& outcome, const std::filesystem::path& folder) {
  std::string text = head_text(outcome.record, outcome.posterior);
  if (outcome.record.kind == run::Kind::posterior)
    text += fmt::format(", {} gradients", outcome.record.gradients);
  text += fmt::format(", {:.2f} s\n{}\n", outcome.record.seconds, facts_text(outcome.record));
  text += posterior::table_text(outcome.summary.rows, kTableWidth, kTableRows);
  text += "\n" + findings_or_none(outcome.record, outcome.summary.findings);
  if (!outcome.record.rungs.empty()) text += "\n" + rungs_text(outcome.record);
  if (outcome.certificate) text += "\n" + certify::certificate_text(*outcome.certificate, kTableWidth);
  return folder.empty() ? text : text + fmt::format("Results: {}\n", folder.string());
}

std::string summary_text(const run::RunRecord& record, const posterior::Posterior& posterior,
                         std::size_t max_rows) {
  return fmt::format("{}\n\n{}\n{}", head_text(record, posterior),
                     posterior::table_text(summary_rows(posterior, record), kTableWidth, max_rows),
                     findings_or_none(record, record.findings));
}

}  // namespace kullback::fit
