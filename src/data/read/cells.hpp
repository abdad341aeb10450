// What a cell may be and what number it becomes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "data/read/fault.hpp"
#include "data/read/levels.hpp"
#include "data/read/number.hpp"
#include "data/source.hpp"

namespace kullback::data {

class Cells final {
 public:
  Cells(const SourceRequest& request, std::vector<std::string> names, bool has_target);

  std::size_t size() const { return names_.size(); }
  // Where some columns may be categories, a pass over all cells finds the levels first.
  bool must_collect() const { return is_collecting_; }
  void end_collecting();
  // After all rows: refuses columns of numbers whose values are too small to be squared, and, where the
  // request says so, those that have none.
  void check_columns(const std::filesystem::path& file) const;
  const std::vector<std::vector<std::string>>& levels() const { return levels_; }

  bool is_number(std::size_t cell) const { return roles_[cell] == Role::number; }
  // Of a cell that is_number: whether the number may stand there, which is then noted.
  bool takes(std::size_t cell, double value) {
    const double size = std::abs(value);
    if (!(size <= kLargestValue) || (needs_counts_ && !is_count(value))) return false;
    largest_[cell] = std::max(largest_[cell], size);
    return true;
  }
  // The number of a cell with this text; throws Error.
  double value(std::size_t cell, std::string_view text, const Where& where);
  // The number of a cell of a binary file.
  double value(std::size_t cell, double number, const Where& where);

 private:
  enum class Role : unsigned char { number, collecting, category };

  static bool is_count(double value) { return value >= 0 && value == std::trunc(value); }
  double missing(std::size_t cell, std::string_view text, const Where& where) const;
  double checked(std::size_t cell, double number, std::string_view text, const Where& where);
  double level(std::size_t cell, std::string_view text, const Where& where) const;
  [[noreturn]] void refuse(std::size_t cell, const std::string& what, const Where& where,
                           std::string hint) const;

  bool takes_missing_;
  std::string missing_takers_;
  bool needs_counts_;
  bool needs_values_;
  bool is_collecting_ = false;
  bool is_like_ = false;
  std::vector<std::string> names_;
  std::vector<Role> roles_;
  std::vector<double> largest_;  // size of a number in each column; -1 before the first
  std::vector<LevelCollector> collectors_;
  std::vector<TextIndex> codes_;
  std::vector<std::vector<std::string>> levels_;
};

}  // namespace kullback::data
