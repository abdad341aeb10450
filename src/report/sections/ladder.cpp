#include "base/advice.hpp"
#include "report/json_object.hpp"
#include "report/section.hpp"

namespace kullback::report {

std::string ladder_section(const Result& result) {
  if (result.record().rungs.empty()) return {};
  std::vector<std::string> rungs;
  for (const run::Rung& rung : result.record().rungs) {
    rungs.push_back(JsonObject()
                        .text("method", rung.method)
                        .text("verdict", rung.verdict)
                        .count("gradients", rung.gradients)
                        .text("reason", without_marks(rung.reason))
                        .str());
  }
  return JsonObject().raw("rungs", json_array(rungs)).str();
}

}  // namespace kullback::report
