// Factors of standard errors for intervals that hold together.
#pragma once

#include <cstddef>

namespace kullback::certify {

inline constexpr double kFamilyError =
    0.01;  // all intervals of a run hold with probability 0.99 (Bonferroni)

// Half an interval in standard errors, one of `intervals` that hold together, from `dof` degrees of freedom
// (Student's t).
double interval_factor(std::size_t intervals, double dof);

}  // namespace kullback::certify
