// The floors of one compilation: FLOOR_MATH is strict_math or fast_math.
#pragma once

#include "floors/floor.hpp"

namespace kullback::bench::FLOOR_MATH {

inline std::vector<double> numbers(const model::Data& data, std::string_view name) {
  return data.find(name)->numbers;
}

std::vector<NamedFloor> ar_garch(const model::Data& data);
std::vector<NamedFloor> eight_schools(const model::Data& data);
std::vector<NamedFloor> hier_loop(const model::Data& data);
std::vector<NamedFloor> logistic(const model::Data& data);

}  // namespace kullback::bench::FLOOR_MATH
