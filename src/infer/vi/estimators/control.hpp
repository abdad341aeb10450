// Control variates of score-function estimators, and what their estimators have in common.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "infer/vi/estimator.hpp"

namespace kullback::infer {

// sum_k (signals_k - a_k) s_k of one parameter's scores s. The coefficient a_k = sum_j
// signals_j s_j^2 / sum_j s_j^2, over draws j outside the group of draw k, is the best multiple of the score,
// whose mean is 0; without the draw's own group it leaves the sum unbiased.
double regressed_sum(std::span<const double> signals, std::span<const double> scores, std::size_t group);

// Why a score-function estimator cannot be: the family has no log q, or none at a point, or draws depend on
// each other, which control variates from other draws must not.
std::optional<std::string> refuse_score(const EstimatorSetting& setting);
std::optional<std::string> refuse_controlled_score(const EstimatorSetting& setting);
// Why a gradient that takes draw k for independent of the others would be biased: the bound is no mean of
// functions of single draws, and the sampling makes its draws depend on each other.
std::optional<std::string> refuse_dependent_draws(const EstimatorSetting& setting);

}  // namespace kullback::infer
