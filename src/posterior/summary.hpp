// The summary of a posterior: one row for each column, as a table for people and as summary.json.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/finding.hpp"
#include "posterior/posterior.hpp"

namespace kullback::posterior {

// Absent where the method has no such number: an approximation's independent draws have no R-hat.
struct SummaryRow {
  std::string name;  // "theta[1]"
  double mean = 0;
  double sd = 0;
  std::optional<double> mcse_mean;
  double q5 = 0;
  double q50 = 0;
  double q95 = 0;
  std::optional<double> ess_bulk;
  std::optional<double> ess_tail;
  std::optional<double> rhat;
};

struct Summary {
  std::vector<SummaryRow> rows;  // lp__ first, as in CmdStan
  Findings findings;
};

// `is_markov`: the draws are chains; else they are independent or weighted (mean, sd and quantiles are then
// weighted).
std::vector<SummaryRow> summarize(const Posterior& posterior, bool is_markov);

// At most `width` characters a line; at most max_rows rows (0: all), and a line saying how many are left out.
std::string table_text(const std::vector<SummaryRow>& rows, std::size_t width = 80, std::size_t max_rows = 0);
// {"parameters": [...], "findings": [...]}; numbers that are not finite are strings, "NaN".
std::string to_json(const Summary& summary);
Summary read_summary(const std::string& path);

}  // namespace kullback::posterior
