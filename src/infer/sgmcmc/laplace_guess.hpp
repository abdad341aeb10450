// The Gaussian of a Hessian near a mode.
#pragma once

#include <optional>
#include <vector>

#include "density/log_density.hpp"
#include "infer/gaussian_guess.hpp"
#include "infer/optimize/hessian.hpp"

namespace kullback::infer {

// With its mean a Newton step away from theta, where the Hessian is. Nothing where it is not negative
// definite, or where theta is no mode: the step would gain too much.
std::optional<GaussianGuess> laplace_guess(density::LogDensity& density, const Hessian& hessian,
                                           const std::vector<double>& theta);

}  // namespace kullback::infer
