// The folder of a run: how it begins, how it ends, and what of it may be replaced.
//
// A run writes where the user wants its results, unless an earlier run's results are there: then it writes
// into DIR/.next, and only when it is whole its files take the place of the earlier ones (a kill among the
// renames is made good by whoever opens the folder next). DIR/.lock is locked as long as the process lives.
#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "run/record.hpp"

namespace kullback::run {

class FolderLock;

// `rung`: of the ladder of methods; empty where a run is one method's.
std::filesystem::path partial_folder(const std::filesystem::path& out, const std::string& rung = {});

class RunFolder final {
 public:
  // Makes the folder with the record and the program (empty: none) in it, at once. One that exists is
  // refused, unless it is empty or, with `force`, holds what runs wrote and nothing else. Throws Error.
  static std::unique_ptr<RunFolder> begin(const std::filesystem::path& out, RunRecord record,
                                          const std::string& program_text, bool force);
  // Goes on where a run ended early, after its files were checked. Throws Error.
  static std::unique_ptr<RunFolder> resume(const std::filesystem::path& out);
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  const std::filesystem::path& out() const { return out_; }    // as the user named it
  const std::filesystem::path& path() const { return path_; }  // where the run writes
  // Where one of its files is written. Files that were not named so are not the run's.
  std::filesystem::path file(const std::string& name);
  // What this run has not written goes: it may be of its draws before it was interrupted.
  void drop(const std::string& name);
  // An event with `fields`, JSON without braces.
  void add_event(const std::string& name, const std::string& fields) const;

  // The record, with the sizes and hashes of all files, is written last. Of a run that is whole (its status
  // is not "interrupted") unfinished draws go, and its files take the place of an earlier run's; path() is
  // then where they are. Throws Error cannot_write.
  void finish(RunRecord& record, const std::string& event, const std::string& fields);
  // After an error: what the run wrote goes, unless there are results or draws to go on from.
  void abandon();

 private:
  RunFolder(std::filesystem::path out, std::filesystem::path path, std::unique_ptr<FolderLock> lock);
  static std::unique_ptr<RunFolder> make_new(const std::filesystem::path& out);
  static std::unique_ptr<RunFolder> take_existing(const std::filesystem::path& out, bool force);
  void show();
  void remove_all_own(RunRecord record);

  std::filesystem::path out_;
  std::filesystem::path path_;
  std::unique_ptr<FolderLock> lock_;
  bool was_there_ = true;  // the folder, before the run
  bool is_resumed_ = false;
  bool is_listed_ = false;  // files of an interrupted run, by its record
  std::set<std::string> files_;
};

// The record of a folder whose files are those that the run left, or are too old to tell. Throws Error
// bad_input with the file that is not.
RunRecord open_folder(const std::filesystem::path& folder);

// A file of a folder that is made after the run, with its place in the record. Throws Error.
void replace_in_folder(const std::filesystem::path& folder, const std::string& name, std::string_view text);

// Where the run is that is under way or was interrupted there: a run that is to replace another one, or the
// folder itself.
std::filesystem::path current_folder(const std::filesystem::path& out);

// Puts a run in place whose process was killed when it had but that to do. Throws Error.
void settle_folder(const std::filesystem::path& out);

// Throws Error cannot_write where a run that is kept after its end, but was interrupted, would replace
// results: only what is whole does.
void check_may_replace(const RunRecord& record, const std::filesystem::path& to);

// All that a folder holds, in another: made at once, and refused or replaced likewise. Throws Error.
void copy_folder(const std::filesystem::path& from, const std::filesystem::path& to, bool force);

// Throws Error cannot_write where something else than these files is in a folder.
void check_has_only(const std::filesystem::path& folder, const std::set<std::string>& names);

// Adds a line to events.jsonl: {"time": ..., "event": "NAME", FIELDS}. `fields` is JSON without braces, or
// empty.
void add_event(const std::filesystem::path& out, const std::string& name, const std::string& fields);

}  // namespace kullback::run
