// What the two estimators of forward KL share: weights of points under p / q and the weighted score.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "infer/vi/estimator.hpp"

namespace kullback::infer {

// Throws Error usage where the family has no log q at a given point.
void require_score(const Family& family, std::string_view objective);

// Normalised weights of the ratios p / q.
std::vector<double> normalised_weights(std::span<const double> log_p, std::span<const double> log_q);

// Minus KL(p || q) as the weighted draws tell it: log(mean of p / q) - sum_k w_k log(p / q)_k.
void set_forward_bound(const DrawLogs& logs, Sampling sampling, Estimate& estimate);

}  // namespace kullback::infer
