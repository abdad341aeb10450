// Numbers of the table: as many digits as the Monte Carlo error justifies.
#pragma once

#include <cstddef>
#include <string>

#include "posterior/summary.hpp"

namespace kullback::posterior {

struct NumberStyle {
  int max_digits = 5;         // significant
  int scientific_digits = 5;  // where there is an exponent
  int max_exponent = 5;       // 10^(max_exponent + 1) and above is written as 1.23e7
  int min_exponent = -4;      // below 10^min_exponent as 1.23e-5
  bool aligns = true;         // decimal points stand below each other
};

struct Cell {
  static constexpr std::size_t kNoPoint = static_cast<std::size_t>(-1);

  std::string text;
  std::size_t point = kNoPoint;  // characters before the decimal point; kNoPoint: aligned to the right
};

// mean, sd, q5, q50, q95 of a row, with the same number of decimals.
struct RowCells {
  Cell mean, sd, q5, q50, q95;
};
RowCells row_cells(const SummaryRow& row, const NumberStyle& style);

Cell count_cell(double count);  // ESS
Cell rhat_cell(double rhat);

// A name of at most `width` characters, shortened in the middle: the end holds the indices.
std::string shortened(const std::string& name, std::size_t width);

}  // namespace kullback::posterior
