// What a cell may be and what number it becomes.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "data/read/fault.hpp"
#include "data/read/levels.hpp"
#include "data/source.hpp"

namespace kullback::data {

class Cells final {
 public:
  Cells(const SourceRequest& request, std::vector<std::string> names, bool has_target);

  std::size_t size() const { return names_.size(); }
  // Where some columns may be categories, a pass over all cells finds the levels first.
  bool must_collect() const { return is_collecting_; }
  void end_collecting();
  const std::vector<std::vector<std::string>>& levels() const { return levels_; }

  bool is_number(std::size_t cell) const { return roles_[cell] == Role::number; }
  // Of a cell that is_number: whether the number may stand there.
  bool accepts(double value) const { return !needs_counts_ || (value >= 0 && value == std::trunc(value)); }
  // The number of a cell with this text; throws Error.
  double value(std::size_t cell, std::string_view text, const Where& where);
  // The number of a cell of a binary file.
  double value(std::size_t cell, double number, const Where& where);

 private:
  enum class Role : unsigned char { number, collecting, category };

  double missing(std::size_t cell, std::string_view text, const Where& where) const;
  double checked(std::size_t cell, double number, std::string_view text, const Where& where) const;
  double level(std::size_t cell, std::string_view text, const Where& where) const;
  [[noreturn]] void refuse(std::size_t cell, const std::string& what, const Where& where,
                           std::string hint) const;

  bool takes_missing_;
  std::string missing_takers_;
  bool needs_counts_;
  bool is_collecting_ = false;
  bool is_like_ = false;
  std::vector<std::string> names_;
  std::vector<Role> roles_;
  std::vector<LevelCollector> collectors_;
  std::vector<TextIndex> codes_;
  std::vector<std::vector<std::string>> levels_;
};

}  // namespace kullback::data
