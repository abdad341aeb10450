// Linear response: how the means of an approximation answer to a tilt of the posterior is the covariance of
// the posterior, better than that of a mean field; and the error of the means that fixed draws bring.
#pragma once

#include <optional>
#include <vector>

#include "infer/vi/family.hpp"
#include "infer/vi/schemes/fixed_bound.hpp"

namespace kullback::infer {

struct LinearResponse {
  GaussianGuess gaussian;       // means, and the covariance of their response
  std::vector<double> mean_sd;  // of each mean over draws of the fixed noise
};

// At a maximum x of the bound; fixed noise in pairs z, -z side by side. Nothing where the curvature there is
// not that of a maximum.
std::optional<LinearResponse> linear_response(FixedBound& bound, const Family& family,
                                              std::span<const double> x);

}  // namespace kullback::infer
