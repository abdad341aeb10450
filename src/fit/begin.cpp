#include "fit/begin.hpp"

#include <fmt/format.h>

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
  if (ranks.is_first()) {
    if (request.resume)
      posterior::remove_torn_files(request.out);
    else
      posterior::begin_folder(request.out, record, model.program->text, request.force);
    posterior::add_event(
        request.out, request.resume ? "resume" : "start",
        fmt::format("\"method\": {}, \"chains\": {}, \"seed\": {}, {}", json_string(record.method),
                    record.chains, record.seed, posterior::process_fields()));
  }
  ranks.barrier();
}

}  // namespace kullback::fit
