#include "data/read/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "data/read/fault.hpp"
#include "data/read/number.hpp"

namespace kullback::data {

namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void check_present(const std::filesystem::path& file, const std::vector<std::string>& fields,
                   const std::string& name, std::string_view role) {
  if (name.empty() || contains(fields, name)) return;
  refuse_file(file, fmt::format("there is no column {}, which is to be {}", shown(name), role),
              near_or_all(name, fields));
}

// 0, 1, 2, ... or 1, 2, 3, ..., as data frames without names are written.
bool counts_up(const std::vector<std::string>& names) {
  const bool from_zero = names.front() == "0";
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] != std::to_string(from_zero ? i : i + 1)) return false;
  }
  return names.size() > 1;
}

bool all_numbers(const std::vector<std::string>& names) {
  return std::all_of(names.begin(), names.end(), [](const std::string& name) {
    double value = 0;
    return read_number(name, value);
  });
}

}  // namespace

void check_names(const std::filesystem::path& file, const std::vector<std::string>& names) {
  const Where head{&file, 1, false};
  if (all_numbers(names) && !counts_up(names))
    refuse_at(head,
              fmt::format("the first line must name the columns, but has numbers ({}{})", names.front(),
                          names.size() > 1 ? ", ..." : ""),
              "Add a line such as x1,x2,x3 above the data.");
  std::set<std::string> seen;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty())
      refuse_at(
          head, fmt::format("column {} of {} has no name", i + 1, names.size()),
          "Name it. (pandas writes such a column for the row numbers: to_csv(..., index=False) does not.)");
    if (!seen.insert(names[i]).second)
      refuse_at(head, fmt::format("two columns are called {}", shown(names[i])), "Rename one of them.");
  }
}

Columns::Columns(const SourceRequest& request, const std::filesystem::path& file,
                 const std::vector<std::string>& fields)
    : fields_(fields), first_file_(file), sequence_(request.sequence) {
  check_present(file, fields, request.sequence, "where sequences begin");
  if (request.like != nullptr && request.like->kind != DataKind::documents) {
    choose_like(request, file);
    return;
  }
  if (request.like != nullptr && !request.like->names.empty()) {
    choose_like(request, file);
    return;
  }
  check_present(file, fields, request.target, "the target");
  for (const std::string& name : request.ignored) check_present(file, fields, name, "left out");
  for (const std::string& name : fields) {
    if (name != request.target && name != sequence_ && !contains(request.ignored, name))
      names_.push_back(name);
  }
  if (!request.target.empty()) names_.push_back(request.target);
  has_target_ = !request.target.empty();
  if (names_.empty() || (has_target_ && names_.size() == 1))
    refuse_file(file, "no column is left to model", "Leave fewer columns out.");
}

// The target need not be there: it may be what is wanted.
void Columns::choose_like(const SourceRequest& request, const std::filesystem::path& file) {
  names_ = request.like->names;
  has_target_ = !request.target.empty();
  may_lack_target_ = has_target_;
  ignores_others_ = true;
  for (const std::string& name : names_) {
    if (contains(fields_, name) || (may_lack_target_ && name == request.target)) continue;
    refuse_file(file, fmt::format("there is no column {}, which the model was fitted to", shown(name)),
                near_or_all(name, fields_));
  }
}

std::vector<std::size_t> Columns::cells_of(const std::filesystem::path& file,
                                           const std::vector<std::string>& fields) const {
  std::vector<std::size_t> cells(fields.size(), kSkipped);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto at = std::find(names_.begin(), names_.end(), fields[i]);
    if (fields[i] == sequence_ && !sequence_.empty()) {
      cells[i] = kSequenceKey;
    } else if (at != names_.end()) {
      cells[i] = static_cast<std::size_t>(at - names_.begin());
    } else if (!ignores_others_ && !contains(fields_, fields[i])) {
      refuse_file(file, fmt::format("column {} is not in {}", shown(fields[i]), first_file_.string()),
                  "All files must have the same columns.");
    }
  }
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const bool may_lack = may_lack_target_ && i + 1 == names_.size();
    if (contains(fields, names_[i]) || may_lack) continue;
    refuse_file(file,
                fmt::format("there is no column {}, which {} has", shown(names_[i]), first_file_.string()),
                "All files must have the same columns.");
  }
  if (!sequence_.empty() && !contains(fields, sequence_))
    refuse_file(file,
                fmt::format("there is no column {}, which {} has", shown(sequence_), first_file_.string()),
                "All files must have the same columns.");
  return cells;
}

}  // namespace kullback::data
