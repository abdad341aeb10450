// Gaussian components whose columns are independent: a precision for each column of each component (diagonal)
// or one for each component (spherical),
//   lambda_g ~ Gamma(A_g / 2, B_g / 2),   mu_kd | lambda ~ N(m_kd, 1 / (beta_kd lambda_g)).
// With scikit-learn's nu and W: A = nu, B = W (diagonal); A = D nu, B = D W (spherical). beta has a column,
// for a missing cell tells nothing of its mean. All is about a centre, the mean of the sample. Natural
// parameters of precision g: A_g, B_g + sum beta m^2; then of mean kd: beta, beta m. Statistics: expected
// numbers of observed cells kd, sums r x of kd, sums r x^2 of g.
#pragma once

#include <memory>

#include "base/option.hpp"
#include "conjugate/mixture/components.hpp"

namespace kullback::conjugate::mixture {

std::unique_ptr<Components> make_axis_gaussian(std::size_t components, bool is_spherical,
                                               const OptionValues& values, const Shape& shape);

}  // namespace kullback::conjugate::mixture
