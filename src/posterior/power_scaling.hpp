// Power scaling: how a marginal changes when the prior or the likelihood is raised to a power near 1.
#pragma once

#include <vector>

namespace kullback::posterior {

// Distance of cumulative Jensen and Shannon between draws with equal weights and the same draws with
// `weights` (which sum to 1), over its upper bound; of the values or of their negatives, whichever is larger.
double cumulative_js_distance(const std::vector<double>& values, const std::vector<double>& weights);

// Weights of the draws when a component of the log density is multiplied by `power`, smoothed by PSIS.
std::vector<double> power_weights(const std::vector<double>& log_component, double power);

}  // namespace kullback::posterior
