#include "conjugate/outcome_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "run/text.hpp"

namespace kullback::conjugate {

namespace {

constexpr std::size_t kShownRows = 12;
constexpr std::size_t kShownColumns = 8;
constexpr std::size_t kTableWidth = 80;

std::string cell_text(double value) {
  if (std::isnan(value)) return "";
  if (value == std::floor(value) && std::abs(value) < 1e7) return fmt::format("{:.0f}", value);
  return fmt::format("{:.4g}", value);
}

// The first rows and columns, right-aligned below their heads.
std::string table_text(const ResultTable& table, bool all) {
  const std::size_t columns = table.columns.size();
  if (columns == 0) return {};
  const std::size_t rows = table.cells.size() / columns;
  const std::size_t shown_rows = all ? rows : std::min(rows, kShownRows);
  const std::size_t shown = all ? columns : std::min(columns, kShownColumns);
  std::vector<std::vector<std::string>> lines(shown_rows + 1);
  const bool is_named = !table.row_names.empty();
  if (is_named) lines[0].push_back(table.row_head);
  for (std::size_t c = 0; c < shown; ++c) lines[0].push_back(table.columns[c]);
  for (std::size_t r = 0; r < shown_rows; ++r) {
    if (is_named) lines[r + 1].push_back(table.row_names[r]);
    for (std::size_t c = 0; c < shown; ++c) lines[r + 1].push_back(cell_text(table.cells[r * columns + c]));
  }
  if (!table.notes.empty()) {
    lines[0].push_back(table.note_head);
    for (std::size_t r = 0; r < shown_rows; ++r) lines[r + 1].push_back(table.notes[r]);
  }
  std::vector<std::size_t> widths(lines[0].size());
  for (const auto& line : lines) {
    for (std::size_t c = 0; c < line.size(); ++c) widths[c] = std::max(widths[c], line[c].size());
  }
  std::string text = table.name + ":\n";
  for (const auto& line : lines) {
    for (std::size_t c = 0; c < line.size(); ++c) {
      const bool is_text = (is_named && c == 0) || (!table.notes.empty() && c + 1 == line.size());
      text +=
          is_text ? fmt::format("  {:<{}}", line[c], widths[c]) : fmt::format("  {:>{}}", line[c], widths[c]);
    }
    while (text.back() == ' ') text.pop_back();
    text += '\n';
  }
  const bool is_cut = rows > shown_rows || columns > shown;
  if (is_cut) text += fmt::format("  ... {} x {} in {}.csv\n", rows, columns, table.name);
  return text;
}

std::string pairs_text(const Figures& pairs) {
  std::size_t width = 0;
  for (const auto& [name, value] : pairs) width = std::max(width, name.size());
  std::string text;
  for (const auto& [name, value] : pairs)
    text += fmt::format("  {:<{}}  {}\n", name, width, cell_text(value));
  return text;
}

}  // namespace

std::string outcome_text(const Outcome& outcome, const std::filesystem::path& folder, bool all) {
  const TrainOutcome& trained = outcome.trained;
  const StartOutcome& best = trained.starts[trained.best];
  const auto units = static_cast<double>(outcome.shape.units);
  std::string text =
      fmt::format("{} {}: {} units, {} pass{}, seed {}, {:.2f} s\n", run::name_of(outcome.record.kind),
                  outcome.record.method, outcome.shape.units, best.passes, best.passes == 1 ? "" : "es",
                  outcome.record.seed, outcome.record.seconds);
  text += fmt::format("bound {:.10g}, {:.6g} per unit", best.elbo, best.elbo / units);
  if (trained.starts.size() > 1) {
    double worst = best.elbo;
    for (const StartOutcome& start : trained.starts) worst = std::min(worst, start.elbo);
    text += fmt::format("; best of {} starts, the worst {:.3g} per unit below", trained.starts.size(),
                        (best.elbo - worst) / units);
  }
  text += trained.is_interrupted ? "; interrupted: --resume goes on\n" : "\n";
  if (!outcome.terms.empty()) text += pairs_text(outcome.terms);
  if (!outcome.figures.empty()) text += "\n" + pairs_text(outcome.figures);
  for (const ResultTable& table : outcome.tables) text += "\n" + table_text(table, all);
  if (!outcome.record.findings.empty()) {
    text += "\n" + run::findings_text(outcome.record.findings, kTableWidth);
  } else if (!trained.is_interrupted) {
    text += "\nNo problems found.\n";
  }
  return text + fmt::format("Results: {}\n", folder.string());
}

}  // namespace kullback::conjugate
