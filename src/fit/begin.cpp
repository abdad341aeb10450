#include "fit/begin.hpp"

#include <fmt/format.h>

#include "base/json.hpp"
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
  if (ranks.is_first()) {
    if (request.resume)
      posterior::remove_torn_files(request.out);
    else
      posterior::begin_folder(request.out, record, model.program->text, request.force);
    posterior::add_event(request.out, request.resume ? "resume" : "start",
                         fmt::format("\"method\": {}, \"chains\": {}, \"seed\": {}",
                                     json_string(record.method), record.chains, record.seed));
  }
  ranks.barrier();
  make_partial_folder(request);
}

void make_partial_folder(const Request& request) {
  std::error_code problem;
  const std::filesystem::path partial = posterior::partial_folder(request.out, request.rung);
  std::filesystem::create_directories(partial, problem);  // on a machine with a disk of its own
  if (problem) {
    throw Error(ErrorKind::cannot_write,
                fmt::format("{}: cannot be made: {}.", partial.string(), problem.message()),
                "Unfinished chains are saved there; choose another folder with --out.");
  }
}

}  // namespace kullback::fit
