// The table is laid out by trying: full names and all justified digits first, then shorter names and fewer
// digits in turn, until a line fits; where none does, columns are left out, the least needed first.
#include <algorithm>
#include <array>
#include <cmath>

#include "posterior/number_text.hpp"
#include "posterior/summary.hpp"
#include "run/text.hpp"

namespace kullback::posterior {

namespace {

enum ColumnId { kMean, kSd, kQ5, kQ50, kQ95, kEssBulk, kEssTail, kRhat, kColumns };

constexpr std::array<std::string_view, kColumns> kHeads{"mean", "sd",       "5%",       "50%",
                                                        "95%",  "ess_bulk", "ess_tail", "rhat"};

constexpr std::array<ColumnId, 7> kLeastNeeded{kEssTail, kEssBulk, kQ50, kRhat, kSd, kQ5, kQ95};

constexpr std::array<NumberStyle, 4> kStyles{NumberStyle{5, 4, 5, -4, true}, NumberStyle{4, 3, 4, -3, true},
                                             NumberStyle{3, 3, 3, -2, true}, NumberStyle{3, 2, 3, -2, false}};

struct Attempt {
  std::size_t name_width;
  std::size_t style;
  std::size_t gap;
};

constexpr std::array<Attempt, 11> kAttempts{{{40, 0, 2},
                                             {24, 0, 2},
                                             {24, 0, 1},
                                             {20, 1, 2},
                                             {20, 1, 1},
                                             {16, 1, 1},
                                             {16, 2, 2},
                                             {16, 2, 1},
                                             {12, 2, 1},
                                             {12, 3, 1},
                                             {8, 3, 1}}};

using Used = std::array<bool, kColumns>;

// A method without chains has no R-hat; one draw is an estimate and has neither sd nor quantiles.
Used columns_with_numbers(const std::vector<SummaryRow>& rows) {
  Used used{};
  used[kMean] = true;
  for (const SummaryRow& row : rows) {
    const bool varies = !std::isnan(row.sd) || row.q5 != row.mean;
    if (varies && !std::isnan(row.mean)) used[kSd] = used[kQ5] = used[kQ50] = used[kQ95] = true;
    used[kEssBulk] |= row.ess_bulk.has_value();
    used[kEssTail] |= row.ess_tail.has_value();
    used[kRhat] |= row.rhat.has_value();
  }
  return used;
}

struct Column {
  std::string head;
  std::vector<Cell> cells;
  std::size_t width = 0;
  std::size_t before_point = 0;
  std::size_t after_point = 0;  // with the point

  void measure() {
    width = head.size();
    for (const Cell& cell : cells) {
      if (cell.point == Cell::kNoPoint) {
        width = std::max(width, cell.text.size());
      } else {
        before_point = std::max(before_point, cell.point);
        after_point = std::max(after_point, cell.text.size() - cell.point);
      }
    }
    width = std::max(width, before_point + after_point);
  }

  std::string padded(const Cell& cell) const {
    std::string text = cell.text;
    if (cell.point != Cell::kNoPoint) text.append(after_point - (cell.text.size() - cell.point), ' ');
    return std::string(width - text.size(), ' ') + text;
  }
};

std::array<Cell, kColumns> cells_of(const SummaryRow& row, const NumberStyle& style) {
  RowCells numbers = row_cells(row, style);
  std::array<Cell, kColumns> cells{numbers.mean, numbers.sd, numbers.q5, numbers.q50,
                                   numbers.q95,  {},         {},         {}};
  if (row.ess_bulk) cells[kEssBulk] = count_cell(*row.ess_bulk);
  if (row.ess_tail) cells[kEssTail] = count_cell(*row.ess_tail);
  if (row.rhat) cells[kRhat] = rhat_cell(*row.rhat);
  return cells;
}

std::vector<Column> make_columns(const std::vector<SummaryRow>& rows, const NumberStyle& style,
                                 const Used& used) {
  std::array<Column, kColumns> all;
  const bool is_estimate = !used[kSd] && !used[kQ5] && !used[kEssBulk];
  for (std::size_t i = 0; i < kColumns; ++i) all[i].head = kHeads[i];
  if (is_estimate) all[kMean].head = "value";
  for (const SummaryRow& row : rows) {
    std::array<Cell, kColumns> cells = cells_of(row, style);
    for (std::size_t i = 0; i < kColumns; ++i) all[i].cells.push_back(std::move(cells[i]));
  }
  std::vector<Column> columns;
  for (std::size_t i = 0; i < kColumns; ++i) {
    if (!used[i]) continue;
    all[i].measure();
    columns.push_back(std::move(all[i]));
  }
  return columns;
}

struct Layout {
  std::size_t name_width = 0;
  std::size_t gap = 2;
  std::vector<Column> columns;

  std::size_t width() const {
    std::size_t total = name_width;
    for (const Column& column : columns) total += gap + column.width;
    return total;
  }
};

std::size_t longest_name(const std::vector<SummaryRow>& rows) {
  std::size_t longest = 4;
  for (const SummaryRow& row : rows) longest = std::max(longest, row.name.size());
  return longest;
}

Layout find_layout(const std::vector<SummaryRow>& rows, std::size_t width) {
  Used used = columns_with_numbers(rows);
  const std::size_t longest = longest_name(rows);
  Layout layout;
  for (std::size_t dropped = 0;; ++dropped) {
    for (const Attempt& attempt : kAttempts) {
      layout = {std::min(longest, attempt.name_width), attempt.gap,
                make_columns(rows, kStyles[attempt.style], used)};
      if (layout.width() <= width) {
        const std::size_t spare = width - layout.width();
        layout.name_width = std::min(longest, layout.name_width + spare);
        return layout;
      }
    }
    if (dropped == kLeastNeeded.size()) return layout;
    used[kLeastNeeded[dropped]] = false;
  }
}

void append_line(std::string& text, std::string line, std::size_t width) {
  line.resize(std::min(line.size(), width));
  line.erase(line.find_last_not_of(' ') + 1);
  text += line + "\n";
}

}  // namespace

std::string table_text(const std::vector<SummaryRow>& rows, std::size_t width, std::size_t max_rows) {
  const std::size_t shown = max_rows == 0 ? rows.size() : std::min(max_rows, rows.size());
  const std::vector<SummaryRow> first(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(shown));
  const Layout layout = find_layout(first, width);
  std::string text;
  std::string line = "name" + std::string(layout.name_width - 4, ' ');
  for (const Column& column : layout.columns)
    line += std::string(layout.gap, ' ') + column.padded({column.head});
  append_line(text, std::move(line), width);
  for (std::size_t i = 0; i < shown; ++i) {
    line = shortened(run::printable(first[i].name), layout.name_width);
    line.resize(layout.name_width, ' ');
    for (const Column& column : layout.columns)
      line += std::string(layout.gap, ' ') + column.padded(column.cells[i]);
    append_line(text, std::move(line), width);
  }
  if (shown < rows.size()) {
    const std::size_t left = rows.size() - shown;
    append_line(text, "... " + std::to_string(left) + (left == 1 ? " more row" : " more rows"), width);
  }
  return text;
}

}  // namespace kullback::posterior
