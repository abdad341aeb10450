// A table of a result with names in it, such as components.csv: cells as words, quotes taken off.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/result.hpp"

namespace kullback::report {

struct WordTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  // as many cells as columns

  std::optional<std::size_t> find(std::string_view column) const;
  double number(std::size_t row, std::size_t column) const;  // NaN where the cell is none
  // Of a column that need not be there; then NaN.
  double number(std::size_t row, std::string_view column) const;
  std::vector<double> numbers(std::size_t column) const;
};

// RFC 4180. A row that has not as many cells as the head ends the table: text that was cut ends there.
WordTable parse_words(std::string_view text);

// Nothing where the folder has no such file. `most` rows at most.
std::optional<WordTable> read_words(const Result& result, std::string_view name,
                                    std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace kullback::report
