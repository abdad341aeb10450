// Inside stats: quantiles of the standard normal distribution.
#pragma once

#include <cstddef>
#include <span>

namespace kullback::stats {

// 0 < probability < 1; relative error below 1e-15.
double normal_quantile(double probability);
// (rank - 3/8) / (count + 1/4) of the normal distribution (Blom 1958); 1 <= rank <= count.
double normal_score(double rank, std::size_t count);
// Of ranks 1, 2, ..., count. Kept for the next call in this thread, and valid until then.
std::span<const double> normal_scores(std::size_t count);

}  // namespace kullback::stats
