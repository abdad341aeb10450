// The chi-square distribution as a function of a standard normal number.
#pragma once

namespace kullback::infer {

struct ChiSquareDraw {
  double value = 0;
  double slope = 0;  // to the degrees of freedom, at fixed z
};

// The quantile of Phi(z), z standard normal: a draw that is differentiable in its degrees of freedom. NaN
// where these are not positive and finite.
ChiSquareDraw chi_square_of_normal(double degrees, double z);

}  // namespace kullback::infer
