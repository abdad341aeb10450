#include "report/density.hpp"
#include "report/draw_store.hpp"
#include "report/json_object.hpp"
#include "report/section.hpp"

namespace kullback::report {

// A curve for every row of the table.
std::string marginals_section(const Result& result) {
  if (!result.is_posterior() || result.draws().draws() < 2) return {};
  const std::vector<double> weights = draw_weights(result.draws());
  std::vector<double> low, high;
  std::vector<std::string> heights;
  for (std::size_t row = 0; row < result.rows().size(); ++row) {
    const DensityCurve curve = density_curve(row_values(result, row), weights);
    low.push_back(curve.low);
    high.push_back(curve.high);
    heights.push_back(curve.heights);
  }
  return JsonObject()
      .raw("low", json_numbers(low, 5))
      .raw("high", json_numbers(high, 5))
      .raw("heights", json_strings(heights))
      .truth("weighted", !weights.empty())
      .str();
}

}  // namespace kullback::report
