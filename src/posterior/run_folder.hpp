// The folder of a fit: how it begins, and how it is left.
#pragma once

#include <filesystem>
#include <string>

#include "posterior/run_record.hpp"

namespace kullback::posterior {

// `rung`: of the ladder of methods; empty where a run is one method's.
std::filesystem::path partial_folder(const std::filesystem::path& out, const std::string& rung = {});

// Makes `out` with the record and the program (empty: a library) in it, at once: a folder exists either with
// both or not at all. One that exists is refused, or with `force` replaced where it holds a fit (or nothing).
// Throws Error.
void begin_folder(const std::filesystem::path& out, const RunRecord& record, const std::string& program_text,
                  bool force);

// All that a folder holds, in another: made at once, and refused or replaced likewise. Throws Error.
void copy_folder(const std::filesystem::path& from, const std::filesystem::path& to, bool force);

// Removes the folder of a run that failed, unless a chain has draws there.
void remove_without_draws(const std::filesystem::path& out);

// Removes what a crash left half-written: files beside others, the last line of events.jsonl.
void remove_torn_files(const std::filesystem::path& out);

// Adds a line to events.jsonl: {"time": ..., "event": "NAME", FIELDS}. `fields` is JSON without braces, or
// empty.
void add_event(const std::filesystem::path& out, const std::string& name, const std::string& fields);

}  // namespace kullback::posterior
