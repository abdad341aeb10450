// Quantiles of Student's t distribution, for intervals around means of few values.
#pragma once

#include <cstddef>

namespace kullback::stats {

// 0 < probability < 1, degrees > 0; relative error below 1e-9. The normal quantile for infinitely many.
double t_quantile(double probability, std::size_t degrees);

}  // namespace kullback::stats
