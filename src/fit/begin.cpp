#include "fit/begin.hpp"

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/json.hpp"
#include "posterior/progress_log.hpp"
#include "posterior/run_folder.hpp"

namespace kullback::fit {

std::vector<std::uint32_t> chains_of_rank(const Request& request, const Ranks& ranks) {
  std::vector<std::uint32_t> mine;
  for (std::size_t c = 0; c < request.chains; ++c) {
    if (c % static_cast<std::size_t>(ranks.size()) == static_cast<std::size_t>(ranks.rank()))
      mine.push_back(static_cast<std::uint32_t>(c));
  }
  return mine;
}

void begin_run(const Request& request, const posterior::RunRecord& record, const LoadedModel& model,
               const Ranks& ranks) {
  if (ranks.is_first() && !request.out.empty()) {
    if (request.resume) {
      posterior::remove_torn_files(request.out);
    } else {
      posterior::begin_folder(request.out, record, model.program->text, request.force);
      keep_data(request.out, request.inputs, model.data_text);
    }
    note_event(request, request.resume ? "resume" : "start", start_fields(record));
  }
  ranks.barrier();
}

void note_event(const Request& request, const std::string& name, const std::string& fields) {
  if (!request.out.empty()) posterior::add_event(request.out, name, fields);
}

std::string start_fields(const posterior::RunRecord& record) {
  return fmt::format("\"method\": {}, \"chains\": {}, \"seed\": {}, {}", json_string(record.method),
                     record.chains, record.seed, posterior::process_fields());
}

void abandon_run(const Request& request, const Ranks& ranks) {
  if (ranks.size() == 1 && !request.out.empty()) posterior::remove_without_draws(request.out);
}

std::filesystem::path kept_data_path(const std::filesystem::path& out) {
  return std::filesystem::absolute(out / "data.json").lexically_normal();
}

void keep_data(const std::filesystem::path& out, const Inputs& inputs, const std::string& data_text) {
  if (inputs.data.empty() && !data_text.empty()) write_file(kept_data_path(out), data_text);
}

std::string resume_hint(const Request& request) {
  return request.out.empty() ? "Nothing was kept to go on from: give a folder for the results."
                             : fmt::format("`kullback fit --resume {}` goes on.", request.out.string());
}

}  // namespace kullback::fit
