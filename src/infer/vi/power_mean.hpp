// Means of powers of weights, on the log scale.
#pragma once

#include <span>

namespace kullback::infer {

// log(mean of exp(power x_k)) / power, continuous in the power: 0 gives the mean of x. Writes
// exp(power x_k) / sum into `shares`, where it is not empty. A number of -inf is a weight of 0.
double log_power_mean(std::span<const double> x, double power, std::span<double> shares);

}  // namespace kullback::infer
