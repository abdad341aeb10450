#include "posterior/run_folder.hpp"

#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <functional>
#include <system_error>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/filled.hpp"
#include "base/json.hpp"

namespace kullback::posterior {

namespace fs = std::filesystem;

namespace {

constexpr const char* kRecord = "run.json";

// Only a fit goes on, and by a command of its own.
std::string resume_hint(const fs::path& out) {
  const RunRecord record = read_run_record((out / kRecord).string());
  if (record.kind != "posterior" || record.status == "complete") return ".";
  return "; `kullback fit --resume " + out.string() + "` goes on with it.";
}

[[noreturn]] void refuse_existing(const fs::path& out) {
  if (!fs::is_directory(out))
    throw Error(ErrorKind::cannot_write, out.string() + ": is a file, but a folder is to be made there.",
                "Choose another folder with --out.");
  const bool is_fit = fs::exists(out / kRecord);
  throw Error(ErrorKind::cannot_write,
              out.string() + (is_fit ? ": holds a fit already." : ": exists already."),
              is_fit ? "--force replaces it, `--out DIR` puts the new one elsewhere" + resume_hint(out)
                     : "Choose another folder with --out.");
}

// Without links, "." and a slash at the end: what a link names is replaced, not the link.
fs::path real_path(const fs::path& out) {
  std::error_code problem;
  fs::path real = fs::weakly_canonical(out, problem);
  if (problem) real = fs::absolute(out).lexically_normal();
  return real.has_filename() ? real : real.parent_path();
}

// An empty folder stays, as it may be where the user is, and is filled, the record last.
void put_in_place(const fs::path& made, const fs::path& target) {
  if (!fs::exists(target)) return fs::rename(made, target);
  if (!fs::is_empty(target)) {
    fs::path old = target;
    old += filled(".old-{}", ::getpid());
    fs::rename(target, old);
    fs::rename(made, target);
    fs::remove_all(old);
    return;
  }
  for (const auto& entry : fs::directory_iterator(made)) {
    if (entry.path().filename() != kRecord) fs::rename(entry.path(), target / entry.path().filename());
  }
  fs::rename(made / kRecord, target / kRecord);
  fs::remove_all(made);
}

bool is_working_folder(const fs::path& target) {
  std::error_code none;
  return fs::equivalent(target, fs::current_path(none), none);
}

// "2026-11-15T17:30:00Z".
std::string event_time() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[64];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

bool may_replace(const fs::path& out, bool force) {
  return fs::is_directory(out) && (fs::is_empty(out) || (force && fs::exists(out / kRecord)));
}

// `fill` makes and fills a folder, which is then put in place of `out`.
void make_folder(const fs::path& out, bool force, const std::function<void(const fs::path&)>& fill) {
  if (fs::exists(out) && !may_replace(out, force)) refuse_existing(out);
  const fs::path target = real_path(out);
  if (fs::exists(target) && !fs::is_empty(target) && is_working_folder(target)) {
    throw Error(ErrorKind::cannot_write,
                target.string() + ": cannot be replaced, as it is the folder you are in.",
                "Go to the folder above it.");
  }
  fs::path beside = target;
  beside += filled(".new-{}", ::getpid());
  std::error_code none;
  try {
    fs::remove_all(beside);
    fill(beside);
    put_in_place(beside, target);
  } catch (const Error&) {
    fs::remove_all(beside, none);
    throw;
  } catch (const fs::filesystem_error& error) {
    fs::remove_all(beside, none);
    throw Error(ErrorKind::cannot_write,
                filled("{}: cannot be made: {}.", out.string(), error.code().message()),
                "Choose another folder with --out.");
  }
}

}  // namespace

fs::path partial_folder(const fs::path& out, const std::string& rung) {
  return rung.empty() ? out / ".partial" : out / ".partial" / rung;
}

void begin_folder(const fs::path& out, const RunRecord& record, const std::string& program_text, bool force) {
  make_folder(out, force, [&](const fs::path& beside) {
    fs::create_directories(beside);
    if (!program_text.empty()) write_file(beside / "model.stan", program_text);
    write_file(beside / kRecord, to_json(record));
  });
}

void copy_folder(const fs::path& from, const fs::path& to, bool force) {
  std::error_code none;
  if (fs::equivalent(from, to, none))
    throw Error(ErrorKind::cannot_write, to.string() + ": is the folder that was read.",
                "Choose another folder.");
  make_folder(to, force, [&](const fs::path& beside) {
    fs::create_directories(beside.parent_path());
    fs::copy(from, beside, fs::copy_options::recursive);
  });
}

void remove_without_draws(const fs::path& out) {
  std::error_code none;
  bool has_draws = fs::exists(out / "summary.json", none);
  for (const auto& entry : fs::recursive_directory_iterator(partial_folder(out), none))
    has_draws = has_draws || (entry.path().extension() == ".draws" && !fs::is_empty(entry.path(), none));
  if (!has_draws) fs::remove_all(out, none);
}

void remove_torn_files(const fs::path& out) {
  const fs::path events = out / "events.jsonl";
  if (fs::exists(events)) {
    const std::string text = read_file(events);
    fs::resize_file(events, text.rfind('\n') + 1);  // npos + 1 is 0
  }
  for (const fs::path& folder : {out, partial_folder(out)}) {
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder, none)) {
      if (entry.path().filename().string().find(".new-") != std::string::npos) fs::remove(entry.path(), none);
    }
  }
}

void add_event(const fs::path& out, const std::string& name, const std::string& fields) {
  const std::string line = filled("{{\"time\": \"{}\", \"event\": {}{}{}}}\n", event_time(),
                                  json_string(name), fields.empty() ? "" : ", ", fields);
  const fs::path path = out / "events.jsonl";
  std::FILE* file = std::fopen(path.c_str(), "ab");
  const bool written = file != nullptr && std::fwrite(line.data(), 1, line.size(), file) == line.size();
  if (file == nullptr || std::fclose(file) != 0 || !written)
    throw Error(ErrorKind::cannot_write, path.string() + ": cannot be written.", "Is the disk full?");
}

}  // namespace kullback::posterior
