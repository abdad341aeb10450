// Held-out log likelihood of a Gaussian mixture with given parameters: one evaluator for the point estimates
// of any program.
#pragma once

#include <cstddef>
#include <vector>

#include "conjugate/data.hpp"

namespace kullback::conjugate::mixture {

struct PlugIn {
  std::vector<double> weights;      // K, made to add up to 1
  std::vector<double> means;        // K * D
  std::vector<double> covariances;  // K * D * D
};
// The sum over rows of log sum_k w_k N(x | m_k, C_k), of the observed cells; weights of rows are honoured.
// Throws Error bad_input for sizes that do not fit and for a covariance that is not positive definite.
double log_likelihood(const PlugIn& parameters, const Batch& units);

}  // namespace kullback::conjugate::mixture
