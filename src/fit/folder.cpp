#include "fit/folder.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <system_error>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json.hpp"

namespace kullback::fit {

namespace fs = std::filesystem;

namespace {

constexpr const char* kRecord = "run.json";

[[noreturn]] void refuse_existing(const fs::path& out) {
  if (!fs::is_directory(out))
    throw Error(ErrorKind::cannot_write, out.string() + ": is a file, but a folder is to be made there.",
                "Choose another folder with --out.");
  const bool is_fit = fs::exists(out / kRecord);
  throw Error(ErrorKind::cannot_write,
              out.string() + (is_fit ? ": holds a fit already." : ": exists already."),
              is_fit ? "--force replaces it, --resume goes on with it, --out DIR puts the new one elsewhere."
                     : "Choose another folder with --out.");
}

bool may_replace(const fs::path& out, bool force) {
  return fs::is_directory(out) && (fs::is_empty(out) || (force && fs::exists(out / kRecord)));
}

}  // namespace

fs::path partial_folder(const fs::path& out) { return out / ".partial"; }

void begin_folder(const fs::path& out, const posterior::RunRecord& record, const std::string& program_text,
                  bool force) {
  if (fs::exists(out) && !may_replace(out, force)) refuse_existing(out);
  fs::path beside = out;
  if (!beside.has_filename()) beside = beside.parent_path();  // "dir/"
  const fs::path target = beside;
  beside += fmt::format(".new-{}", ::getpid());
  fs::path old = target;
  old += fmt::format(".old-{}", ::getpid());
  try {
    fs::remove_all(beside);
    fs::create_directories(partial_folder(beside));
    if (!program_text.empty()) write_file(beside / "model.stan", program_text);
    write_file(beside / kRecord, posterior::to_json(record));
    if (fs::exists(target)) fs::rename(target, old);
    fs::rename(beside, target);
    fs::remove_all(old);
  } catch (const fs::filesystem_error& error) {
    throw Error(ErrorKind::cannot_write,
                fmt::format("{}: cannot be made: {}.", out.string(), error.code().message()),
                "Choose another folder with --out.");
  }
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
  const auto now = std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
  const std::string line = fmt::format("{{\"time\": \"{:%Y-%m-%dT%H:%M:%S}Z\", \"event\": {}{}{}}}\n", now,
                                       json_string(name), fields.empty() ? "" : ", ", fields);
  const fs::path path = out / "events.jsonl";
  std::FILE* file = std::fopen(path.c_str(), "ab");
  const bool written = file != nullptr && std::fwrite(line.data(), 1, line.size(), file) == line.size();
  if (file == nullptr || std::fclose(file) != 0 || !written)
    throw Error(ErrorKind::cannot_write, path.string() + ": cannot be written.", "Is the disk full?");
}

}  // namespace kullback::fit
