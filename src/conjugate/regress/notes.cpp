#include "conjugate/regress/notes.hpp"

#include <vector>

#include "conjugate/regress/pieces.hpp"

namespace kullback::conjugate::regress {

namespace {

constexpr double kNothing =
    1e-10;  // of the variance of a column is left once the columns before it are known

// Row after row: covariances of the columns without the intercept, times the number of rows.
std::vector<double> centred_gram(const Likelihood& data, std::size_t columns) {
  std::vector<double> matrix(columns * columns);
  for (std::size_t i = 0; i < columns; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      matrix[i * columns + j] =
          data.gram[packed_place(i + 1, j + 1)] -
          data.gram[packed_place(i + 1, 0)] * data.gram[packed_place(j + 1, 0)] / data.gram[0];
    }
  }
  return matrix;
}

// Cholesky, leaving out columns of which the ones before leave nothing: those.
std::vector<std::size_t> determined_by_others(std::vector<double> matrix, std::size_t columns) {
  std::vector<std::size_t> found;
  std::vector<bool> is_out(columns);
  for (std::size_t i = 0; i < columns; ++i) {
    double* row = matrix.data() + i * columns;
    const double whole = row[i];
    double left = whole;
    for (std::size_t j = 0; j < i; ++j) {
      if (is_out[j]) continue;
      const double* other = matrix.data() + j * columns;
      double sum = row[j];
      for (std::size_t k = 0; k < j; ++k) sum -= is_out[k] ? 0 : row[k] * other[k];
      row[j] = sum / other[j];
      left -= row[j] * row[j];
    }
    is_out[i] = !(left > kNothing * whole);
    if (is_out[i] && whole > 0) found.push_back(i);
    row[i] = is_out[i] ? 1 : std::sqrt(left);
  }
  return found;
}

std::string list(std::span<const std::size_t> columns, std::span<const std::string> names) {
  std::string text;
  for (std::size_t i = 0; i < columns.size() && i < 5; ++i) text += (i > 0 ? ", " : "") + names[columns[i]];
  if (columns.size() > 5) text += " and " + std::to_string(columns.size() - 5) + " more";
  return text;
}

std::string columns_are(std::size_t count) {
  return count == 1 ? "1 column is" : std::to_string(count) + " columns are";
}

}  // namespace

Findings findings_of_columns(const Likelihood& data, std::span<const std::string> names) {
  Findings found;
  const std::size_t columns = data.moments.size() - 1;
  if (columns == 0 || !(data.gram[0] > 0)) return found;
  std::vector<std::size_t> constant;
  for (std::size_t j = 0; j < columns; ++j) {
    if (data.gram[packed_place(j + 1, j + 1)] == 0) constant.push_back(j);
  }
  if (!constant.empty()) {
    found.push_back({"constant-columns", columns_are(constant.size()) + " the same in all rows.",
                     list(constant, names), "Leave them out: their coefficients are those of the prior."});
  }
  if (static_cast<double>(columns) >= data.rows) {
    found.push_back(
        {"more-columns-than-rows", "There are not more rows than columns.",
         std::to_string(columns) + " columns, " + std::to_string(static_cast<long>(data.rows)) + " rows",
         "The prior decides much of the answer; `--prior spike-slab` or ard looks for few columns."});
    return found;  // columns beyond the rows are combinations of the others
  }
  const std::vector<std::size_t> determined = determined_by_others(centred_gram(data, columns), columns);
  if (!determined.empty()) {
    found.push_back(
        {"collinear-columns", columns_are(determined.size()) + " a weighted sum of columns before.",
         list(determined, names),
         "Predictions are sound, but the prior alone divides the effect between such columns: leave "
         "some out."});
  }
  return found;
}

}  // namespace kullback::conjugate::regress
