// How many decimals: the mean's Monte Carlo error is shown with two significant digits, so the mean is
// written to the same decimal; without an error, sd gets three digits. No number has more than max_digits
// digits, unless sd needs them for two of its own.
#include "posterior/number_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kullback::posterior {

namespace {

constexpr int kWidestFixed = 7;  // digits

int exponent_of(double number) { return static_cast<int>(std::floor(std::log10(std::fabs(number)))); }

bool has_size(double number) { return std::isfinite(number) && number != 0; }

double scale_of(const SummaryRow& row) {
  double scale = 0;
  for (const double number : {row.mean, row.sd, row.q5, row.q50, row.q95})
    if (std::isfinite(number)) scale = std::max(scale, std::fabs(number));
  return scale;
}

Cell not_finite(double number) { return {std::isnan(number) ? "NaN" : number > 0 ? "inf" : "-inf"}; }

// "1.2e-5" from "1.2e-05".
std::string scientific(double number, int decimals) {
  std::string text = fmt::format("{:.{}e}", number, decimals);
  const std::size_t e = text.find('e');
  std::string exponent = text.substr(e + 1);
  const bool negative = exponent.front() == '-';
  exponent.erase(0, std::min(exponent.find_first_not_of("+-0"), exponent.size() - 1));
  return text.substr(0, e) + (negative ? "e-" : "e") + exponent;
}

Cell fixed(double number, int decimals) {
  if (!std::isfinite(number)) return not_finite(number);
  std::string text = fmt::format("{:.{}f}", number, decimals);
  if (text.find_first_not_of("-0.") == std::string::npos && text.front() == '-') text.erase(0, 1);
  const std::size_t point = std::min(text.find('.'), text.size());
  return {std::move(text), point};
}

// What does not vary is written with the digits it has, up to max_digits.
Cell constant(double number, const NumberStyle& style) {
  if (!std::isfinite(number)) return not_finite(number);
  if (number == 0) return {"0", 1};
  const int exponent = exponent_of(number);
  if (exponent > style.max_exponent || exponent < style.min_exponent)
    return {scientific(number, style.scientific_digits - 1)};
  std::string text = fmt::format("{:.{}g}", number, std::max(style.max_digits, exponent + 1));
  const std::size_t point = std::min(text.find('.'), text.size());
  return {std::move(text), point};
}

int wanted_decimals(const SummaryRow& row) {
  if (row.mcse_mean && has_size(*row.mcse_mean)) return 1 - exponent_of(*row.mcse_mean);
  return 2 - exponent_of(row.sd);
}

class Decimals final {
 public:
  Decimals(const SummaryRow& row, const NumberStyle& style) : style_(style) {
    const int exponent = exponent_of(scale_of(row));
    is_scientific_ = exponent > style.max_exponent || exponent < style.min_exponent;
    decimals_ = std::min(wanted_decimals(row), style.max_digits - 1 - exponent);
    const int for_sd = std::min(1 - exponent_of(row.sd), kWidestFixed - 1 - exponent);
    decimals_ = std::max(decimals_, for_sd);
  }

  Cell write(double number) const {
    if (!is_scientific_) return fixed(number, std::max(0, decimals_));
    if (!std::isfinite(number)) return not_finite(number);
    if (number == 0) return {"0"};
    return {scientific(number, std::clamp(decimals_ + exponent_of(number), 1, style_.scientific_digits - 1))};
  }

  Cell write_whole(double number) const { return is_scientific_ ? write(number) : fixed(number, 0); }

 private:
  NumberStyle style_;
  bool is_scientific_ = false;
  int decimals_ = 0;
};

bool is_whole(double number) { return std::isfinite(number) && number == std::floor(number); }

}  // namespace

RowCells row_cells(const SummaryRow& row, const NumberStyle& style) {
  RowCells cells;
  if (!has_size(row.sd) || scale_of(row) == 0) {
    cells = {constant(row.mean, style), constant(row.sd, style), constant(row.q5, style),
             constant(row.q50, style), constant(row.q95, style)};
  } else {
    const Decimals decimals(row, style);
    // Quantiles of integers are integers.
    const bool whole = is_whole(row.q5) && is_whole(row.q50) && is_whole(row.q95);
    const auto quantile = [&](double number) {
      return whole ? decimals.write_whole(number) : decimals.write(number);
    };
    cells = {decimals.write(row.mean), decimals.write(row.sd), quantile(row.q5), quantile(row.q50),
             quantile(row.q95)};
  }
  if (!style.aligns)
    for (Cell* cell : {&cells.mean, &cells.sd, &cells.q5, &cells.q50, &cells.q95})
      cell->point = Cell::kNoPoint;
  return cells;
}

Cell count_cell(double count) {
  if (std::isnan(count)) return {"-"};
  if (std::isinf(count) || count >= 1e8) return {std::isinf(count) ? "inf" : scientific(count, 1)};
  return {fmt::format("{:.0f}", count)};
}

Cell rhat_cell(double rhat) {
  if (std::isnan(rhat)) return {"-"};
  if (std::isinf(rhat)) return {"inf"};
  if (rhat >= 1000) return {scientific(rhat, 0)};
  if (rhat >= 10) return {fmt::format("{:.1f}", rhat)};
  return {fmt::format("{:.3f}", rhat)};
}

std::string shortened(const std::string& name, std::size_t width) {
  if (name.size() <= width) return name;
  if (width < 4) return name.substr(0, width);
  const std::size_t tail = (width - 2) / 2;
  const std::size_t head = width - 2 - tail;
  return name.substr(0, head) + ".." + name.substr(name.size() - tail);
}

}  // namespace kullback::posterior
