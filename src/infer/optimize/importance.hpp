// Importance weights of draws from an approximation, and what they say against it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "base/finding.hpp"
#include "stats/psis.hpp"

namespace kullback::infer {

// `log_ratios`: log p - log q of each draw. Weights that are all but equal have no tail to fit: khat is 0.
stats::Psis importance_weights(std::span<const double> log_ratios);

// Code "khat": the approximation (its name: "the Laplace approximation") is too far from the density for
// this many draws.
std::optional<Finding> khat_finding(const stats::Psis& weights, std::string_view approximation);

// Code "outside-support": draws at which the log density is not finite.
std::optional<Finding> outside_finding(std::span<const double> log_densities);

}  // namespace kullback::infer
