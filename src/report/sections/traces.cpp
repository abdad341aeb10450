#include "report/draw_store.hpp"
#include "report/json_object.hpp"
#include "report/section.hpp"

namespace kullback::report {

// The draws are on the page for all sections; what is here is what each chain ended its warm-up with.
std::string traces_section(const Result& result) {
  if (!result.is_posterior() || !result.are_chains() || result.draws().draws() < 2) return {};
  std::vector<std::string> chains;
  for (const posterior::Chain& chain : result.draws().chains) {
    JsonObject one;
    one.count("draws", chain.draws).number("warmup_seconds", chain.warmup_seconds, 3);
    one.number("sampling_seconds", chain.sampling_seconds, 3);
    if (chain.adaptation) one.number("step_size", chain.adaptation->step_size, 3);
    chains.push_back(one.str());
  }
  return JsonObject().raw("chains", json_array(chains)).str();
}

}  // namespace kullback::report
