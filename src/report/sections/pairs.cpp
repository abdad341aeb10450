#include <algorithm>
#include <cmath>

#include "report/draw_store.hpp"
#include "report/json_object.hpp"
#include "report/section.hpp"
#include "report/telling.hpp"

namespace kullback::report {

std::string pairs_section(const Result& result) {
  if (!result.is_posterior() || result.draws().draws() < 2 || result.rows().size() < 2) return {};
  const std::vector<double> divergent = result.draws().stat("divergent__");
  const auto count = std::count_if(divergent.begin(), divergent.end(), [](double flag) { return flag != 0; });
  return JsonObject()
      .raw("start", json_strings(telling_names(result)))
      .count("divergent", static_cast<std::size_t>(count))
      .str();
}

}  // namespace kullback::report
