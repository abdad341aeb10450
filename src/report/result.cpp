#include "report/result.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <span>

#include "base/error.hpp"
#include "base/file.hpp"
#include "kullback_version.hpp"
#include "posterior/files.hpp"
#include "run/folder.hpp"

namespace kullback::report {

namespace {

namespace fs = std::filesystem;

constexpr const char* kFolderHint =
    "The folder is the one given as --out of 'kullback fit', or of another command that fits.";

void check_is_result(const fs::path& folder) {
  std::error_code none;
  const fs::file_status status = fs::status(folder, none);
  if (!fs::exists(status))
    throw Error(ErrorKind::missing_file, folder.string() + ": there is no such folder.", kFolderHint);
  if (!fs::is_directory(status))
    throw Error(ErrorKind::bad_input, folder.string() + ": is a file; the folder of a result is needed.",
                kFolderHint);
  if (!fs::exists(folder / "run.json", none))
    throw Error(ErrorKind::missing_file,
                folder.string() + ": is not the folder of a result: it has no run.json.", kFolderHint);
}

// "0.12.3" is {0, 12, 3}; what is no number ends it.
std::vector<int> version_parts(std::string_view text) {
  std::vector<int> parts;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (;;) {
    int part = 0;
    const auto [stop, status] = std::from_chars(at, end, part);
    if (status != std::errc()) return parts;
    parts.push_back(part);
    if (stop == end || *stop != '.') return parts;
    at = stop + 1;
  }
}

void check_version(const fs::path& folder, const std::string& version) {
  if (version_parts(version) <= version_parts(kVersion)) return;
  throw Error(ErrorKind::bad_input,
              folder.string() + ": was written by Kullback " + version + "; this is " + kVersion +
                  ", which may not understand it.",
              "Make the report with that version or a newer one.");
}

// Of the shape that find_problems and the table take chains to have.
bool look_like_chains(const posterior::Posterior& draws) {
  const auto& names = draws.stat_names;
  return draws.chains.size() > 1 || std::find(names.begin(), names.end(), "accept_stat__") != names.end();
}

// Rows stand for columns: after lp__, in their order.
void check_rows(const fs::path& folder, const posterior::Posterior& draws,
                const std::vector<posterior::SummaryRow>& rows) {
  const std::size_t first = !rows.empty() && rows.front().name == "lp__" ? 1 : 0;
  bool are_same = rows.size() == first + draws.names.size();
  for (std::size_t i = 0; are_same && i < draws.names.size(); ++i)
    are_same = rows[first + i].name == posterior::display_name(draws.names[i]);
  if (are_same) return;
  throw Error(ErrorKind::bad_input,
              (folder / "summary.json").string() + ": its rows are not the columns of the chains.",
              "The files are of different fits; fit again.");
}

double cell_number(std::string_view cell) {
  double number = 0;
  const auto [end, status] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
  const bool is_number = status == std::errc() && end == cell.data() + cell.size();
  return is_number ? number : std::numeric_limits<double>::quiet_NaN();
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  if (line.ends_with('\r')) line.remove_suffix(1);
  for (;;) {
    const std::size_t comma = line.find(',');
    cells.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

NumberTable parse_numbers(std::string_view text, const std::string& name) {
  NumberTable table;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::vector<std::string_view> cells = cells_of(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line == 1) {
      table.columns.assign(cells.begin(), cells.end());
      table.values.resize(cells.size());
      continue;
    }
    if (cells.size() != table.columns.size())
      throw Error(ErrorKind::bad_input,
                  name + ": line " + std::to_string(line) + " has " + std::to_string(cells.size()) +
                      " cells; its head has " + std::to_string(table.columns.size()) + ".",
                  "The file is damaged; fit again.");
    for (std::size_t i = 0; i < cells.size(); ++i) table.values[i].push_back(cell_number(cells[i]));
  }
  return table;
}

}  // namespace

const std::vector<double>* NumberTable::find(std::string_view column) const {
  const auto found = std::find(columns.begin(), columns.end(), column);
  return found == columns.end() ? nullptr : &values[static_cast<std::size_t>(found - columns.begin())];
}

Result::Result(fs::path folder) : folder_(std::move(folder)) {
  check_is_result(folder_);
  record_ = run::open_folder(folder_);
  check_version(folder_, record_.version);
  if (is_posterior()) read_draws();
}

Result::~Result() = default;

bool Result::is_posterior() const { return run::holds_draws(folder_, record_); }

// A folder without draws still has a record to show, and a table where there is one.
void Result::read_draws() {
  try {
    draws_ = posterior::read_folder(folder_).posterior;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::missing_file) throw;
    missing_.push_back(record_.status == "complete"
                           ? error.message()
                           : "There are no draws yet: the run is recorded as '" + record_.status + "'.");
  }
  if (fs::exists(folder_ / "summary.json")) {
    rows_ = posterior::read_summary((folder_ / "summary.json").string()).rows;
    if (draws_.draws() > 0) check_rows(folder_, draws_, rows_);
  } else if (draws_.draws() > 0) {
    missing_.push_back("summary.json is not there; the table is made from the draws.");
    rows_ = posterior::summarize(draws_, look_like_chains(draws_));
  }
  are_chains_ = std::any_of(rows_.begin(), rows_.end(),
                            [](const posterior::SummaryRow& row) { return row.rhat || row.ess_bulk; });
}

std::optional<std::string> Result::text(std::string_view name, std::size_t limit) const {
  const fs::path path = folder_ / name;
  std::error_code none;
  if (!fs::is_regular_file(path, none)) return {};
  std::string text = read_file(path);
  if (text.size() > limit)
    text.resize(text.rfind('\n', limit) == std::string::npos ? limit : text.rfind('\n', limit));
  return text;
}

const JsonValue* Result::json(std::string_view name) const {
  auto found = json_.find(name);
  if (found == json_.end()) {
    std::unique_ptr<JsonValue> value;
    if (const auto whole = text(name, std::numeric_limits<std::size_t>::max()))
      value = std::make_unique<JsonValue>(
          parse_json(*whole, (folder_ / name).string(), "The file is damaged; fit again."));
    found = json_.emplace(std::string(name), std::move(value)).first;
  }
  return found->second.get();
}

const NumberTable* Result::numbers(std::string_view name) const {
  auto found = numbers_.find(name);
  if (found == numbers_.end()) {
    std::unique_ptr<NumberTable> table;
    if (const auto whole = text(name, std::numeric_limits<std::size_t>::max()))
      table = std::make_unique<NumberTable>(parse_numbers(*whole, (folder_ / name).string()));
    found = numbers_.emplace(std::string(name), std::move(table)).first;
  }
  return found->second.get();
}

bool is_diffusion(const Result& result) {
  const run::Kind kind = result.kind();
  return kind == run::Kind::diffusion || kind == run::Kind::score || kind == run::Kind::discrete_diffusion;
}

}  // namespace kullback::report
