#include "floors/floors.hpp"

namespace kullback::bench::FLOOR_MATH {

std::vector<NamedFloor> make_floors(std::string_view model, const model::Data& data) {
  if (model == "ar_garch") return ar_garch(data);
  if (model == "eight_schools") return eight_schools(data);
  if (model == "hier_loop") return hier_loop(data);
  return logistic(data);
}

}  // namespace kullback::bench::FLOOR_MATH
