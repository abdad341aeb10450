#include "run/folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <functional>
#include <system_error>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "run/folder_lock.hpp"
#include "run/own_files.hpp"

namespace kullback::run {

namespace fs = std::filesystem;

namespace {

constexpr const char* kElsewhere = "Choose another folder with --out.";

[[noreturn]] void cannot_write(const std::string& what, const std::string& hint) {
  throw Error(ErrorKind::cannot_write, what, hint);
}

// What the file system refuses is a user's error: a full disk, a folder without the right to write.
void with_folder_errors(const fs::path& out, const std::function<void()>& work) {
  try {
    work();
  } catch (const fs::filesystem_error& error) {
    const fs::path& where = error.path1().empty() ? out : error.path1();
    cannot_write(fmt::format("{}: cannot be written: {}.", where.string(), error.code().message()),
                 kElsewhere);
  }
}

// Without links, "." and a slash at the end: what a link names is filled, not the link.
fs::path real_path(const fs::path& out) {
  std::error_code problem;
  fs::path real = fs::weakly_canonical(out, problem);
  if (problem) real = fs::absolute(out).lexically_normal();
  return real.has_filename() ? real : real.parent_path();
}

bool has_record(const fs::path& folder) {
  std::error_code none;
  return fs::is_regular_file(folder / kRecordFile, none);
}

RunRecord record_of(const fs::path& folder) { return read_run_record((folder / kRecordFile).string()); }

bool is_empty_but_lock(const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (entry.path().filename() != kLockFile) return false;
  return true;
}

// Only a fit goes on, and by a command of its own.
std::string resume_hint(const fs::path& out) {
  const RunRecord record = record_of(out);
  if (record.kind != Kind::posterior || record.status == "complete") return ".";
  return "; `kullback fit --resume " + out.string() + "` goes on with it.";
}

[[noreturn]] void refuse_existing(const fs::path& out) {
  if (!fs::is_directory(out))
    cannot_write(out.string() + ": is a file, but a folder is to be made there.", kElsewhere);
  const bool is_fit = has_record(out);
  cannot_write(
      out.string() + (is_fit ? ": holds a fit already." : ": exists already."),
      is_fit ? "--force replaces it, `--out DIR` puts the new one elsewhere" + resume_hint(out) : kElsewhere);
}

// The record of the run that is to be replaced. Throws where the folder holds more than it wrote.
RunRecord check_replaceable(const fs::path& out) {
  RunRecord record;
  try {
    record = record_of(out);
  } catch (const Error&) {
    cannot_write(fmt::format("{}: was not written by a run of Kullback; it is left alone.",
                             (out / kRecordFile).string()),
                 kElsewhere);
  }
  const fs::path foreign = foreign_entry(out, record);
  if (!foreign.empty())
    cannot_write(fmt::format("{}: holds {}, which no run of Kullback wrote; --force replaces nothing.",
                             out.string(), foreign.string()),
                 "Move it elsewhere, or choose another folder with --out.");
  return record;
}

// Something to read or to go on from.
bool has_work(const fs::path& folder) {
  std::error_code none;
  if (fs::exists(folder / "summary.json", none) || fs::exists(folder / "checkpoint.safetensors", none))
    return true;
  for (const auto& entry : fs::recursive_directory_iterator(partial_folder(folder), none)) {
    const std::string ending = entry.path().extension().string();
    if ((ending == ".draws" || ending == ".npy") && !fs::is_empty(entry.path(), none)) return true;
  }
  return false;
}

// A run that was to replace another one, and needs but to take its place.
bool is_whole(const fs::path& next) {
  std::error_code none;
  if (!has_record(next) || fs::exists(partial_folder(next), none)) return false;
  const std::string status = record_of(next).status;
  return status == "complete" || status == "stopped";
}

bool lists(const RunRecord& record, const fs::path& name) {
  return std::any_of(record.files.begin(), record.files.end(),
                     [&](const RecordedFile& file) { return file.name == name; });
}

// Can be done again from any point: the record of the new run moves last, and until then tells what is left.
void put_in_place(const fs::path& out) {
  const fs::path next = out / kNextFolder;
  const RunRecord old = record_of(out), whole = record_of(next);
  for (const fs::directory_entry& entry : fs::directory_iterator(out)) {
    const fs::path name = entry.path().filename();
    const bool stays = name == kRecordFile || name == kEventsFile || name == kLockFile ||
                       name == kNextFolder || lists(whole, name);
    if (!stays && is_own(entry, old)) fs::remove_all(entry.path());
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(next)) {
    const fs::path name = entry.path().filename();
    if (name != kRecordFile) fs::rename(entry.path(), out / name);
  }
  fs::rename(next / kRecordFile, out / kRecordFile);
  fs::remove(next);
}

// Of a folder that is locked.
fs::path settled_current(const fs::path& out) {
  const fs::path next = out / kNextFolder;
  if (is_whole(next)) put_in_place(out);
  return has_record(next) ? next : out;
}

// "chain-1.csv.new-1234", with the number of a process.
bool is_torn(const std::string& name) {
  constexpr std::string_view kMark = ".new-";
  const std::size_t mark = name.rfind(kMark);
  if (mark == std::string::npos || mark + kMark.size() == name.size()) return false;
  return name.find_first_not_of("0123456789", mark + kMark.size()) == std::string::npos;
}

void remove_torn_files(const fs::path& folder) {
  const fs::path events = folder / kEventsFile;
  if (fs::is_regular_file(fs::symlink_status(events))) {
    const std::string text = read_file(events);
    fs::resize_file(events, text.rfind('\n') + 1);  // npos + 1 is 0
  }
  for (const fs::path& place : {folder, partial_folder(folder)}) {
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(place, none)) {
      if (is_torn(entry.path().filename().string())) fs::remove(entry.path(), none);
    }
  }
}

// "2026-11-15T17:30:00Z".
std::string event_time() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[64];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

[[noreturn]] void refuse_file(const fs::path& path, const std::string& what) {
  throw Error(ErrorKind::bad_input, path.string() + ": " + what + ".",
              "It was changed or damaged after the run: put it back as it was, or fit again with --force.");
}

void check_file(const fs::path& folder, const RecordedFile& recorded) {
  if (fs::path(recorded.name).filename() != recorded.name || recorded.name == "..")
    refuse_file(folder / kRecordFile,
                fmt::format("lists '{}', which is no file of the folder", recorded.name));
  const fs::path path = folder / recorded.name;
  std::error_code none;
  const fs::file_status status = fs::status(path, none);
  if (!fs::exists(status)) return;  // whoever needs it says so
  if (!fs::is_regular_file(status)) refuse_file(path, "is no file, but the run wrote one");
  const std::uint64_t bytes = fs::file_size(path);
  if (bytes != recorded.bytes)
    refuse_file(path, fmt::format("has {} bytes; the run wrote {}", bytes, recorded.bytes));
  const std::string hash = content_of_file(path).hash;
  if (hash != recorded.hash)
    refuse_file(path,
                fmt::format("has other content (XXH64 {}) than the run wrote ({})", hash, recorded.hash));
}

void check_files(const fs::path& folder, const RunRecord& record) {
  for (const RecordedFile& file : record.files) check_file(folder, file);
}

RecordedFile account_of(const fs::path& path) {
  const FileContent content = content_of_file(path);
  return {path.filename().string(), content.bytes, content.hash};
}

void drop_file(RunRecord& record, const std::string& name) {
  std::erase_if(record.files, [&](const RecordedFile& file) { return file.name == name; });
}

}  // namespace

fs::path partial_folder(const fs::path& out, const std::string& rung) {
  return rung.empty() ? out / kPartialFolder : out / kPartialFolder / rung;
}

RunFolder::RunFolder(fs::path out, fs::path path, std::unique_ptr<FolderLock> lock)
    : out_(std::move(out)), path_(std::move(path)), lock_(std::move(lock)) {}

RunFolder::~RunFolder() = default;

std::unique_ptr<RunFolder> RunFolder::begin(const fs::path& out, RunRecord record,
                                            const std::string& program_text, bool force) {
  record.status = "running";
  record.files.clear();
  std::unique_ptr<RunFolder> made;
  with_folder_errors(out, [&] {
    made = fs::exists(out) ? take_existing(out, force) : make_new(out);
    try {
      if (!program_text.empty()) write_file(made->file("model.stan"), program_text);
      replace_file(made->path_ / kRecordFile, to_json(record));  // last: with it the folder is a run's
      if (!made->was_there_) made->show();
    } catch (...) {
      made->remove_all_own(record);
      throw;
    }
  });
  return made;
}

// Under another name until it has a record.
std::unique_ptr<RunFolder> RunFolder::make_new(const fs::path& out) {
  fs::path beside = real_path(out);
  beside += fmt::format(".new-{}", ::getpid());
  std::error_code none;
  fs::remove_all(beside, none);  // of a process that had the same number
  fs::create_directories(beside);
  std::unique_ptr<RunFolder> made(new RunFolder(out, beside, std::make_unique<FolderLock>(beside)));
  made->was_there_ = false;
  return made;
}

void RunFolder::show() {
  const fs::path target = real_path(out_);
  fs::rename(path_, target);
  lock_->folder_is_now(target);
  path_ = out_;
}

std::unique_ptr<RunFolder> RunFolder::take_existing(const fs::path& out, bool force) {
  if (!fs::is_directory(out)) refuse_existing(out);
  const bool is_replaced = !is_empty_but_lock(out);
  if (is_replaced && !(force && has_record(out))) refuse_existing(out);
  std::unique_ptr<RunFolder> made(new RunFolder(out, out, std::make_unique<FolderLock>(out)));
  if (!is_replaced) return made;
  settled_current(out);
  check_replaceable(out);
  made->path_ = out / kNextFolder;
  fs::remove_all(made->path_);  // a run that was not whole; it has been looked through
  fs::create_directory(made->path_);
  return made;
}

std::unique_ptr<RunFolder> RunFolder::resume(const fs::path& out) {
  std::unique_ptr<RunFolder> made;
  with_folder_errors(out, [&] {
    auto lock = std::make_unique<FolderLock>(out);
    const fs::path path = settled_current(out);
    RunRecord record = record_of(path);
    check_files(path, record);
    made.reset(new RunFolder(out, path, std::move(lock)));
    made->is_resumed_ = true;
    for (const RecordedFile& file : record.files) made->files_.insert(file.name);
    made->files_.insert({"model.stan", "data.json"});
    remove_torn_files(path);
    made->is_listed_ = !record.files.empty();
  });
  return made;
}

fs::path RunFolder::file(const std::string& name) {
  if (is_listed_) {  // a kill may come between a file that is written again and the record
    RunRecord record = record_of(path_);
    record.files.clear();
    replace_file(path_ / kRecordFile, to_json(record));
    is_listed_ = false;
  }
  files_.insert(name);
  return path_ / name;
}

void RunFolder::drop(const std::string& name) {
  std::error_code none;
  files_.erase(name);
  fs::remove(path_ / name, none);
}

void RunFolder::add_event(const std::string& name, const std::string& fields) const {
  run::add_event(path_, name, fields);
}

void RunFolder::finish(RunRecord& record, const std::string& event, const std::string& fields) {
  with_folder_errors(out_, [&] {
    record.files.clear();
    for (const std::string& name : files_)
      if (fs::is_regular_file(path_ / name)) record.files.push_back(account_of(path_ / name));
    replace_file(path_ / kRecordFile, to_json(record));
    if (!event.empty()) add_event(event, fields);
    if (record.status == "interrupted") return;
    fs::remove_all(partial_folder(path_));
    if (path_ == out_) return;
    put_in_place(out_);
    path_ = out_;
  });
}

void RunFolder::abandon() {
  if (!is_resumed_ && !has_work(path_)) remove_all_own(record_of(path_));
}

// After an error, which is the one to tell: not what goes wrong here.
void RunFolder::remove_all_own(RunRecord record) {
  std::error_code none;
  for (const std::string& name : files_) record.files.push_back({name, 0, {}});
  for (const fs::directory_entry& entry : fs::directory_iterator(path_, none))
    if (is_own(entry, record)) fs::remove_all(entry.path(), none);
  if (path_ != out_ || !was_there_) fs::remove(path_, none);
}

RunRecord open_folder(const fs::path& folder) {
  settle_folder(folder);
  RunRecord record = record_of(folder);
  with_folder_errors(folder, [&] { check_files(folder, record); });
  return record;
}

void replace_in_folder(const fs::path& folder, const std::string& name, std::string_view text) {
  RunRecord record = record_of(folder);
  const bool has_list = !record.files.empty();
  const std::size_t listed = record.files.size();
  drop_file(record, name);
  // A kill leaves a file that is not listed, never one that is listed with another content.
  if (record.files.size() < listed) replace_file(folder / kRecordFile, to_json(record));
  replace_file(folder / name, text);
  if (!has_list) return;
  record.files.push_back(account_of(folder / name));
  replace_file(folder / kRecordFile, to_json(record));
}

fs::path current_folder(const fs::path& out) {
  return has_record(out / kNextFolder) ? out / kNextFolder : out;
}

// A run that is at the renames is waited for.
void settle_folder(const fs::path& out) {
  if (!is_whole(out / kNextFolder)) return;
  with_folder_errors(out, [&] {
    const FolderLock lock(out, FolderLock::WhereTaken::wait);
    settled_current(out);
  });
}

void check_may_replace(const RunRecord& record, const fs::path& to) {
  if (record.status == "interrupted" && has_record(to))
    cannot_write(to.string() + ": holds results, which an interrupted run does not replace.", kElsewhere);
}

void copy_folder(const fs::path& from, const fs::path& to, bool force) {
  std::error_code none;
  if (fs::equivalent(from, to, none))
    cannot_write(to.string() + ": is the folder that was read.", "Choose another folder.");
  RunRecord record = open_folder(from);
  check_may_replace(record, to);
  const std::unique_ptr<RunFolder> folder = RunFolder::begin(to, record, {}, force);
  with_folder_errors(to, [&] {
    for (const fs::directory_entry& entry : fs::directory_iterator(from)) {
      const std::string name = entry.path().filename().string();
      if (name == kRecordFile || name == kLockFile || name == kNextFolder) continue;
      const bool is_listed = name != kEventsFile && is_own(entry, record);
      fs::copy(entry.path(), is_listed ? folder->file(name) : folder->path() / name,
               fs::copy_options::recursive);
    }
  });
  folder->finish(record, {}, {});
}

void check_has_only(const fs::path& folder, const std::set<std::string>& names) {
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_symlink() && entry.is_regular_file() && names.count(name) > 0) continue;
    cannot_write(fmt::format("{}: holds {}, which is no file of such results; nothing is replaced.",
                             folder.string(), name),
                 "Move it elsewhere, or choose another folder with --out.");
  }
}

void add_event(const fs::path& out, const std::string& name, const std::string& fields) {
  const std::string line = fmt::format("{{\"time\": \"{}\", \"event\": {}{}{}}}\n", event_time(),
                                       json_string(name), fields.empty() ? "" : ", ", fields);
  const fs::path path = out / kEventsFile;
  const int file = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  const bool is_open = file >= 0;
  const bool written =
      is_open && ::write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  const int problem = errno;
  const bool closed = is_open && ::close(file) == 0;
  if (written && closed) return;
  throw Error(ErrorKind::cannot_write,
              fmt::format("{}: cannot be written: {}.", path.string(), std::strerror(problem)),
              "Is the disk full?");
}

}  // namespace kullback::run
