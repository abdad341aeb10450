// The table, column after column; numbers with the digits that their Monte Carlo error justifies, as in the
// terminal.
#include <fmt/format.h>

#include <cmath>

#include "posterior/number_text.hpp"
#include "report/json_object.hpp"
#include "report/section.hpp"

namespace kullback::report {

namespace {

using posterior::SummaryRow;

// A number is its text: the page sorts by what it reads there. Null where there is none.
std::string cell_json(const posterior::Cell& cell, double number) {
  return std::isfinite(number) ? "\"" + cell.text + "\"" : "null";
}

class Columns final {
 public:
  void add(const std::string& name, std::string json) {
    for (auto& [known, cells] : columns_)
      if (known == name) return cells.push_back(std::move(json));
    columns_.emplace_back(name, std::vector<std::string>{std::move(json)});
  }

  std::string json() const {
    JsonObject object;
    for (const auto& [name, cells] : columns_) object.raw(name, json_array(cells));
    return object.str();
  }

 private:
  std::vector<std::pair<std::string, std::vector<std::string>>> columns_;
};

void add_optional(Columns& columns, const std::string& name, const std::optional<double>& number,
                  posterior::Cell (*cell)(double)) {
  columns.add(name, number ? cell_json(cell(*number), *number) : "null");
}

std::string optimum_json(const Result& result) {
  Columns columns;
  for (const SummaryRow& row : result.rows()) columns.add("value", fmt::format("\"{:.7g}\"", row.mean));
  return columns.json();
}

std::string table_json(const Result& result) {
  posterior::NumberStyle style;
  style.aligns = false;
  Columns columns;
  for (const SummaryRow& row : result.rows()) {
    const posterior::RowCells cells = posterior::row_cells(row, style);
    columns.add("mean", cell_json(cells.mean, row.mean));
    columns.add("sd", cell_json(cells.sd, row.sd));
    columns.add("q5", cell_json(cells.q5, row.q5));
    columns.add("q50", cell_json(cells.q50, row.q50));
    columns.add("q95", cell_json(cells.q95, row.q95));
    if (!result.are_chains()) continue;
    add_optional(columns, "ess_bulk", row.ess_bulk, posterior::count_cell);
    add_optional(columns, "ess_tail", row.ess_tail, posterior::count_cell);
    add_optional(columns, "rhat", row.rhat, posterior::rhat_cell);
  }
  return columns.json();
}

}  // namespace

std::string parameters_section(const Result& result) {
  if (!result.is_posterior() || result.rows().empty()) return {};
  std::vector<std::string> names;
  for (const SummaryRow& row : result.rows()) names.push_back(row.name);
  const bool is_optimum = result.record().method == "optimize";
  return JsonObject()
      .raw("names", json_strings(names))
      .raw("columns", is_optimum ? optimum_json(result) : table_json(result))
      .str();
}

}  // namespace kullback::report
