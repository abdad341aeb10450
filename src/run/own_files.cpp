#include "run/own_files.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "run/folder_lock.hpp"
#include "run/kinds.hpp"

namespace kullback::run {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kOfAll = "run.json events.jsonl .lock report.html";
constexpr std::string_view kOfUnlisted = "summary.json";
constexpr std::string_view kOfPartial = "chain-#.draws chain-#.state start-#.npy start-#-local-#-#.npy";
constexpr std::string_view kOfRestored =
    "restore.json samples.csv samples.npy samples.png mean.csv mean.npy mean.png sd.csv sd.npy sd.png "
    "observed.png";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool matches(std::string_view name, std::string_view pattern) {
  while (!pattern.empty() && !name.empty()) {
    if (pattern.front() == '#') {
      if (!is_digit(name.front())) return false;
      while (!name.empty() && is_digit(name.front())) name.remove_prefix(1);
    } else {
      if (name.front() != pattern.front()) return false;
      name.remove_prefix(1);
    }
    pattern.remove_prefix(1);
  }
  return name.empty() && pattern.empty();
}

bool is_among(std::string_view name, std::string_view patterns) {
  while (!patterns.empty()) {
    const std::size_t end = std::min(patterns.find(' '), patterns.size());
    if (matches(name, patterns.substr(0, end))) return true;
    patterns.remove_prefix(std::min(end + 1, patterns.size()));
  }
  return false;
}

// "chain-1.csv.new-1234" is what a kill left of chain-1.csv.
std::string_view without_new(std::string_view name) {
  const std::size_t at = name.rfind(".new-");
  return at != std::string_view::npos && matches(name.substr(at), ".new-#") ? name.substr(0, at) : name;
}

fs::path first_of(const std::vector<fs::path>& paths) {
  return paths.empty() ? fs::path() : *std::min_element(paths.begin(), paths.end());
}

// The first entry that has no such name, in the folder or in those within.
fs::path foreign_among(const fs::path& folder, std::string_view patterns) {
  std::vector<fs::path> foreign;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const fs::path name = entry.path().filename();
    if (!entry.is_symlink() && entry.is_directory()) {
      const fs::path inner = foreign_among(entry.path(), patterns);
      if (!inner.empty()) foreign.push_back(name / inner);
    } else if (entry.is_symlink() || !entry.is_regular_file() ||
               !is_among(without_new(name.string()), patterns)) {
      foreign.push_back(name);
    }
  }
  return first_of(foreign);
}

bool is_own_name(std::string_view name, const RunRecord& record) {
  const std::string_view final = without_new(name);
  if (is_among(final, kOfAll) || (record.files.empty() && is_among(final, kOfUnlisted))) return true;
  const KindRecord& kind = record_of(record.kind);
  if (is_among(final, kind.later) || (record.files.empty() && is_among(final, kind.files))) return true;
  return std::any_of(record.files.begin(), record.files.end(),
                     [&](const RecordedFile& file) { return file.name == final; });
}

fs::path foreign_in_subfolder(const fs::directory_entry& entry, const RunRecord& record) {
  const std::string name = entry.path().filename().string();
  if (entry.is_symlink() || !entry.is_directory()) return name;
  const auto within = [&](const fs::path& foreign) { return foreign.empty() ? foreign : name / foreign; };
  if (name == kPartialFolder) return within(foreign_among(entry.path(), kOfPartial));
  if (name == kNextFolder) {
    std::error_code none;
    const fs::path next = entry.path() / kRecordFile;
    return within(
        foreign_entry(entry.path(), fs::exists(next, none) ? read_run_record(next.string()) : record));
  }
  if (name == "restored") return within(foreign_among(entry.path(), kOfRestored));
  return name;
}

// Empty where the entry is a run's, else the path to what is not.
fs::path foreign_part(const fs::directory_entry& entry, const RunRecord& record) {
  if (entry.is_symlink() || !entry.is_regular_file()) return foreign_in_subfolder(entry, record);
  const fs::path name = entry.path().filename();
  return is_own_name(name.string(), record) ? fs::path() : name;
}

}  // namespace

fs::path foreign_entry(const fs::path& folder, const RunRecord& record) {
  std::vector<fs::path> foreign;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const fs::path found = foreign_part(entry, record);
    if (!found.empty()) foreign.push_back(found);
  }
  return first_of(foreign);
}

bool is_own(const fs::directory_entry& entry, const RunRecord& record) {
  return foreign_part(entry, record).empty();
}

}  // namespace kullback::run
