// Which data a program models, for files that tell observed data from others.
#pragma once

#include <set>
#include <string_view>

#include "lang/program.hpp"

namespace kullback::lang {

// Names of data that stand left of `~` in the model block, or before the bar of a density or probability
// function there (y in `y[i] ~ normal(mu, 1)` and in `target += normal_lpdf(y | mu, 1)`). Indices do not
// count, and of a function's arguments the first does: `segment(y, 1, n) ~ ...` is of y.
std::set<std::string_view> observed_data(const Program& program);

}  // namespace kullback::lang
