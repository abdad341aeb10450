// What is thought of the posterior before an algorithm starts: a Gaussian.
#pragma once

#include <vector>

namespace kullback::infer {

// A family starts from the nearest member, as near as the family comes.
struct GaussianGuess {
  std::vector<double> mean;
  std::vector<double> sd;     // marginal
  std::vector<double> lower;  // Cholesky factor of the covariance, column after column; empty: diagonal
};

}  // namespace kullback::infer
