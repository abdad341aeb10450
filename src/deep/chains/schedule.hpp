// Inverse temperatures of annealing.
#pragma once

#include <cstdint>
#include <vector>

namespace kullback::deep {

// 0 = b_0 < ... < b_count = 1: a sigmoid from -4 to 4, so that steps are short at both ends.
std::vector<double> sigmoid_schedule(std::int64_t count);

}  // namespace kullback::deep
