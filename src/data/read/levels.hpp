// Columns of categories: the text of a cell becomes the number of its level.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace kullback::data {

// "x2" before "x10", numbers before words.
bool natural_less(std::string_view a, std::string_view b);

// Text to number, by a table that can be asked with a view.
class TextIndex final {
 public:
  // The number of `text`; a new one, the next, where it is not there yet.
  std::uint32_t add(std::string_view text);
  // Null where it is not there.
  const std::uint32_t* find(std::string_view text) const;
  std::size_t size() const { return numbers_.size(); }
  // By number.
  std::vector<std::string> texts() const;
  // Numbers the texts anew in natural order; returns the new number of each old one.
  std::vector<std::uint32_t> sort();

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> numbers_;
};

// What a pass over a column finds out: whether its cells are categories, and which.
class LevelCollector final {
 public:
  static constexpr std::size_t kMost = 1U << 16U;

  // `needs_text`: whole numbers alone are no categories either.
  explicit LevelCollector(bool needs_text = false) : needs_text_(needs_text) {}

  // A cell that is not missing. False where there are too many levels.
  bool add(std::string_view text);
  // Numbers with decimals (or any) and no text: not categories.
  bool is_number() const { return (has_decimals_ || needs_text_) && !has_text_; }
  // In natural order.
  std::vector<std::string> levels();

 private:
  TextIndex index_;
  bool needs_text_;
  bool has_text_ = false;
  bool has_decimals_ = false;
  bool is_full_ = false;
};

// "1.0" and "1" are one level.
std::string_view level_text(std::string_view cell, std::string& scratch);

}  // namespace kullback::data
