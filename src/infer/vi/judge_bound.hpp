// Whether a bound is finite for this q, as the tail of the weights tells it.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/finding.hpp"
#include "infer/vi/objective.hpp"

namespace kullback::infer {

struct BoundJudgement {
  bool is_infinite = false;
  double value = 0;  // as people read it, of all the draws: means nothing where it is infinite
  double error = 0;  // Monte-Carlo standard error, of independent draws
  double khat = 0;   // of the weights to the power that the bound averages; 0 where it averages none

  std::string text() const;  // "-3.142", or "infinite"
};

// `log_ratios`: log p - log q of draws from q, many more than the objective's own number.
BoundJudgement judge_bound(const Objective& objective, std::span<const double> log_ratios);

// Code "infinite-bound"; or "biased-bound" where few of the weights decide a bound that is finite.
std::optional<Finding> bound_finding(const BoundJudgement& judgement, const Objective& objective);

}  // namespace kullback::infer
