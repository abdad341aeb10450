#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/advice.hpp"
#include "cli/verb.hpp"
#include "fit/finding_advice.hpp"
#include "fit/fit.hpp"
#include "fit/outcome_text.hpp"
#include "posterior/files.hpp"
#include "posterior/findings.hpp"
#include "stats/chains.hpp"

namespace kullback::cli {

namespace {

void add_line(std::string& text, std::string_view what, const std::string& found) {
  text += fmt::format("  {:<22} {}\n", what, found);
}

double largest(const std::vector<double>& values) {
  return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

// The columns of Hamiltonian samplers; a method without one has no line.
void add_sampler_lines(const posterior::Folder& folder, std::string& text) {
  const posterior::Posterior& posterior = folder.posterior;
  const std::vector<double> divergent = posterior.stat("divergent__");
  if (!divergent.empty()) {
    const auto count = std::count_if(divergent.begin(), divergent.end(), [](double d) { return d != 0; });
    add_line(text, "divergences", fmt::format("{} of {}", count, divergent.size()));
  }
  const std::vector<double> depth = posterior.stat("treedepth__");
  if (!depth.empty()) {
    const run::RunOptions& options = folder.record.options;
    add_line(text, "deepest tree",
             fmt::format("{:.0f} (allowed: {})", largest(depth),
                         options.contains("max_depth") ? options.text("max_depth") : "?"));
  }
  const std::vector<double> energy = posterior.stat("energy__");
  if (!energy.empty()) {
    std::string ratios;
    for (std::size_t c = 0; c < posterior.chains.size(); ++c) {
      const std::span<const double> one = std::span(energy).subspan(c * posterior.draws(), posterior.draws());
      ratios += fmt::format("{}{:.2f}", c > 0 ? "  " : "", stats::e_bfmi(one));
    }
    add_line(text, "E-BFMI by chain", ratios);
  }
  const std::vector<double> accept = posterior.stat("accept_stat__");
  if (!accept.empty()) {
    std::string means;
    for (std::size_t c = 0; c < posterior.chains.size(); ++c) {
      const std::span<const double> one = std::span(accept).subspan(c * posterior.draws(), posterior.draws());
      means += fmt::format("{}{:.2f}", c > 0 ? "  " : "", stats::mean(one));
    }
    add_line(text, "acceptance by chain", means);
  }
  std::string steps;
  for (const posterior::Chain& chain : posterior.chains) {
    if (chain.adaptation)
      steps += fmt::format("{}{:.3g}", steps.empty() ? "" : "  ", chain.adaptation->step_size);
  }
  if (!steps.empty()) add_line(text, "step size by chain", steps);
}

// The row whose number is worst; rows without it do not count.
template <class Get, class Worse>
const posterior::SummaryRow* worst(const std::vector<posterior::SummaryRow>& rows, Get get, Worse is_worse) {
  const posterior::SummaryRow* found = nullptr;
  for (const posterior::SummaryRow& row : rows) {
    if (!get(row) || std::isnan(*get(row))) continue;
    if (found == nullptr || is_worse(*get(row), *get(*found))) found = &row;
  }
  return found;
}

void add_convergence_lines(const std::vector<posterior::SummaryRow>& rows, std::string& text) {
  const auto rhat = [](const posterior::SummaryRow& row) { return row.rhat; };
  const auto bulk = [](const posterior::SummaryRow& row) { return row.ess_bulk; };
  const auto tail = [](const posterior::SummaryRow& row) { return row.ess_tail; };
  if (const auto* row = worst(rows, rhat, std::greater<>()))
    add_line(text, "largest R-hat", fmt::format("{:.3f} ({})", *row->rhat, row->name));
  if (const auto* row = worst(rows, bulk, std::less<>()))
    add_line(text, "smallest bulk ESS", fmt::format("{:.0f} ({})", *row->ess_bulk, row->name));
  if (const auto* row = worst(rows, tail, std::less<>()))
    add_line(text, "smallest tail ESS", fmt::format("{:.0f} ({})", *row->ess_tail, row->name));
}

// What only the algorithm knew is in the record; what the draws show is computed again.
Findings all_findings(const posterior::Folder& folder, const std::vector<posterior::SummaryRow>& rows) {
  Findings findings = posterior::find_problems(folder.posterior, rows, fit::finding_options(folder.record));
  // Whether a tail can be heavy at all, the program tells: the record knows.
  std::erase_if(findings, [](const Finding& finding) { return finding.code == "heavy-tails"; });
  fit::name_method(folder.record, findings);
  for (const Finding& recorded : folder.record.findings) {
    const bool is_known = std::any_of(findings.begin(), findings.end(),
                                      [&](const Finding& finding) { return finding.code == recorded.code; });
    if (!is_known) findings.push_back(recorded);
  }
  return findings;
}

int run_diagnose(const std::string& path) {
  const posterior::Folder folder = posterior::read_folder(path);
  const auto rows = fit::summary_rows(folder.posterior, folder.record);
  std::string text = fit::head_text(folder.record, folder.posterior) + "\n\n";
  add_sampler_lines(folder, text);
  add_convergence_lines(rows, text);
  text += "\n" + fit::findings_or_none(folder.record, all_findings(folder, rows));
  std::fputs(for_terminal(text).c_str(), stdout);
  return 0;
}

}  // namespace

Run add_diagnose(const Command& verb) {
  const auto folder = std::make_shared<std::string>();
  verb.add_option("folder", *folder, "Folder of a fit").required().type_name("DIR");
  return [folder] { return run_diagnose(*folder); };
}

}  // namespace kullback::cli
