#include "data/read/cells.hpp"

#include <fmt/format.h>

namespace kullback::data {

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

std::string number_hint(std::string_view text, const std::string& name) {
  const bool has_comma = text.find(',') != std::string_view::npos;
  if (has_comma && text.find_first_not_of("0123456789,.+-eE ") == std::string_view::npos)
    return "Write numbers with a decimal point and without separators: 1234.5.";
  return fmt::format("Correct the cell, or leave the column out with --ignore {}.", name);
}

}  // namespace

Cells::Cells(const SourceRequest& request, std::vector<std::string> names, bool has_target)
    : takes_missing_(request.takes_missing),
      missing_takers_(request.missing_takers),
      needs_counts_(request.needs_counts),
      needs_values_(request.needs_values),
      is_like_(request.like != nullptr),
      names_(std::move(names)),
      roles_(names_.size(), Role::number),
      largest_(names_.size(), -1.0),
      collectors_(names_.size()),
      codes_(names_.size()),
      levels_(names_.size()) {
  if (is_like_) {
    if (request.like->levels.size() == levels_.size()) levels_ = request.like->levels;
    end_collecting();
    return;
  }
  for (std::size_t i = 0; i < roles_.size(); ++i) {
    const bool is_class = has_target && i + 1 == roles_.size() && request.target_is_category;
    if (!request.takes_categories && !is_class) continue;
    collectors_[i] = LevelCollector(request.only_text_is_category && !is_class);
    roles_[i] = Role::collecting;
    is_collecting_ = true;
  }
}

void Cells::end_collecting() {
  for (std::size_t i = 0; i < roles_.size(); ++i) {
    if (roles_[i] == Role::collecting) {
      levels_[i] = collectors_[i].levels();
      largest_[i] = kMissing;  // its numbers are looked at in the next pass only
    }
    roles_[i] = levels_[i].empty() ? Role::number : Role::category;
    for (const std::string& level : levels_[i]) codes_[i].add(level);
  }
  collectors_.clear();
  is_collecting_ = false;
}

void Cells::refuse(std::size_t cell, const std::string& what, const Where& where, std::string hint) const {
  refuse_at(where, fmt::format("column {}: {}", shown(names_[cell]), what), std::move(hint));
}

double Cells::missing(std::size_t cell, std::string_view text, const Where& where) const {
  if (takes_missing_) return kMissing;
  refuse(cell,
         text.empty() ? "the cell is empty, but a value is needed"
                      : fmt::format("found {}, but a value is needed", shown(text)),
         where,
         missing_takers_.empty()
             ? "Delete the row, or fill the cell."
             : "Delete the row, or use a model that takes missing values: " + missing_takers_ + ".");
}

void Cells::check_columns(const std::filesystem::path& file) const {
  if (is_like_) return;
  for (std::size_t cell = 0; cell < names_.size(); ++cell) {
    if (roles_[cell] != Role::number) continue;
    if (needs_values_ && largest_[cell] < 0)
      refuse_file(file,
                  fmt::format("column {} has no value: all of its cells are missing", shown(names_[cell])),
                  fmt::format("Leave the column out with --ignore {}.", names_[cell]));
    if (largest_[cell] > 0 && largest_[cell] < kLeastValue)
      refuse_file(
          file,
          fmt::format("column {}: the largest value is {}, too small to be squared (1e-100 is possible)",
                      shown(names_[cell]), largest_[cell]),
          "Bring the column to another scale.");
  }
}

double Cells::checked(std::size_t cell, double number, std::string_view text, const Where& where) {
  const auto found = [&] { return text.empty() ? fmt::format("'{}'", number) : shown(text); };
  if (std::isinf(number))
    refuse(cell, fmt::format("found {}, but a finite number is needed", found()), where,
           "Delete the row, or bring the column to another scale.");
  if (std::abs(number) > kLargestValue)
    refuse(cell, fmt::format("found {}, which is too large to be squared (1e100 is possible)", found()),
           where, "Delete the row, or bring the column to another scale.");
  if (!takes(cell, number))
    refuse(cell, fmt::format("found {}, but a count (0, 1, 2, ...) is needed", found()), where,
           "Correct the cell, or use a model of numbers that are not counts.");
  return number;
}

double Cells::level(std::size_t cell, std::string_view text, const Where& where) const {
  std::string scratch;
  const std::uint32_t* code = codes_[cell].find(level_text(text, scratch));
  if (code != nullptr) return *code;
  refuse(cell,
         fmt::format("found {}, which is none of the {} values {}", shown(text), levels_[cell].size(),
                     is_like_ ? "that the model was fitted to" : "seen before"),
         where, near_or_all(text, levels_[cell]));
}

double Cells::value(std::size_t cell, std::string_view text, const Where& where) {
  text = trimmed(text);
  if (is_missing_word(text)) return missing(cell, text, where);
  if (roles_[cell] == Role::category) return level(cell, text, where);
  if (roles_[cell] == Role::collecting) {
    if (collectors_[cell].add(text)) return 0;
    refuse(cell,
           fmt::format("there are more than {} different values, too many for categories",
                       LevelCollector::kMost),
           where, fmt::format("Leave the column out with --ignore {}.", names_[cell]));
  }
  double number = 0;
  if (!read_number(text, number))
    refuse(cell, fmt::format("found {}, but a number is needed", shown(text)), where,
           number_hint(text, names_[cell]));
  return checked(cell, number, text, where);
}

double Cells::value(std::size_t cell, double number, const Where& where) {
  if (std::isnan(number)) return missing(cell, "nan", where);
  if (roles_[cell] == Role::number) return checked(cell, number, {}, where);
  return value(cell, fmt::format("{}", number), where);
}

}  // namespace kullback::data
