#include "fit/begin.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "run/folder.hpp"
#include "run/progress_log.hpp"

namespace kullback::fit {

std::vector<std::uint32_t> chains_of_rank(const Request& request, const Ranks& ranks) {
  std::vector<std::uint32_t> mine;
  for (std::size_t c = 0; c < request.chains; ++c) {
    if (c % static_cast<std::size_t>(ranks.size()) == static_cast<std::size_t>(ranks.rank()))
      mine.push_back(static_cast<std::uint32_t>(c));
  }
  return mine;
}

namespace {

// All ranks write where the first one does.
void share_folder(Request& request, const Ranks& ranks) {
  request.out = ranks.broadcast(request.folder ? request.folder->path().string() : std::string());
}

bool is_complete(const std::filesystem::path& folder) {
  return !std::filesystem::exists(run::partial_folder(folder)) &&
         run::read_run_record((folder / "run.json").string()).status == "complete";
}

void keep_data(const Request& request, const LoadedModel& model) {
  if (request.inputs.data.empty() && model.data_text != nullptr)
    write_file(request.folder->file(kKeptData), *model.data_text);
}

}  // namespace

void take_up(Request& request, const Ranks& ranks) {
  if (request.out.empty()) return;
  if (ranks.is_first()) {
    request.folder = run::RunFolder::resume(request.out);
    if (is_complete(request.folder->path()))
      throw Error(ErrorKind::usage, request.out.string() + ": has been completed meanwhile.");
  }
  share_folder(request, ranks);
}

void begin_run(Request& request, const run::RunRecord& record, const LoadedModel& model, const Ranks& ranks) {
  if (request.out.empty()) return ranks.barrier();
  if (ranks.is_first()) {
    if (!request.resume)
      request.folder = run::RunFolder::begin(request.out, record, model.program->text, request.force);
    try {
      if (!request.resume) keep_data(request, model);
      request.folder->add_event(request.resume ? "resume" : "start", start_fields(record));
    } catch (const Error&) {
      request.folder->abandon();
      throw;
    }
  }
  share_folder(request, ranks);
}

void note_event(const Request& request, const std::string& name, const std::string& fields) {
  if (request.folder) request.folder->add_event(name, fields);
}

std::string start_fields(const run::RunRecord& record) {
  return fmt::format("\"method\": {}, \"chains\": {}, \"seed\": {}, {}", json_string(record.method),
                     record.chains, record.seed, run::process_fields());
}

void abandon_run(const Request& request, const Ranks& ranks) {
  if (ranks.size() == 1 && request.folder) request.folder->abandon();
}

std::filesystem::path kept_data_path(const std::filesystem::path& out) {
  return std::filesystem::absolute(out / kKeptData).lexically_normal();
}

std::string folder_name(const Request& request) {
  return (request.folder ? request.folder->out() : request.out).string();
}

std::string resume_hint(const Request& request) {
  const bool replaces = request.folder && request.folder->path() != request.folder->out();
  return request.out.empty() ? "Nothing was kept to go on from: give a folder for the results."
                             : fmt::format("`kullback fit --resume {}` goes on.{}", folder_name(request),
                                           replaces ? " Until it is whole, the earlier results stay." : "");
}

}  // namespace kullback::fit
