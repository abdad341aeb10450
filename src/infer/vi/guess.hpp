// The Gaussian of an L-BFGS path as the start of an approximation.
#pragma once

#include "infer/optimize/low_rank_gaussian.hpp"
#include "infer/vi/family.hpp"

namespace kullback::infer {

// With the Cholesky factor of the covariance up to some hundreds of coordinates, beyond with standard
// deviations alone.
GaussianGuess guess_of(const LowRankGaussian& gaussian);

// Draws from a Gaussian with a Cholesky factor, with their log densities; the noise of a draw is dim numbers.
void draw_from(const GaussianGuess& gaussian, const DrawBatch& batch);

}  // namespace kullback::infer
