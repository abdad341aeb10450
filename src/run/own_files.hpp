// Which files of a folder are a run's: those of its record, those that verbs add to a folder, and for records
// without a list the names that its kind has.
#pragma once

#include <filesystem>

#include "run/record.hpp"

namespace kullback::run {

inline constexpr const char* kRecordFile = "run.json";
inline constexpr const char* kEventsFile = "events.jsonl";
inline constexpr const char* kPartialFolder = ".partial";
inline constexpr const char* kNextFolder = ".next";

// The first thing in the folder of such a run that no run wrote, as a path from the folder; empty where there
// is none. A link is never a run's.
std::filesystem::path foreign_entry(const std::filesystem::path& folder, const RunRecord& record);

// One of the entries that foreign_entry() passes over.
bool is_own(const std::filesystem::directory_entry& entry, const RunRecord& record);

}  // namespace kullback::run
