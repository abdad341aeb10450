// Gaussian components with full covariances, one for each component or one for all (tied): with
// G = K or 1 precision matrices,
//   Lambda_g ~ Wishart(nu_g, S_g^-1),   mu_k | Lambda ~ N(m_k, (beta_k Lambda_g(k))^-1).
// All is about a centre, the mean of the sample. Natural parameters of group g: nu_g, then the lower triangle
// of S_g + sum_k beta_k m_k m_k', row after row; then of component k: beta_k, beta_k m_k. Statistics: of
// component k sum r x, then of group g sum r x x'.
#pragma once

#include <memory>

#include "base/option.hpp"
#include "conjugate/mixture/components.hpp"

namespace kullback::conjugate::mixture {

std::unique_ptr<Components> make_dense_gaussian(std::size_t components, bool is_tied,
                                                const OptionValues& values, const Shape& shape);

}  // namespace kullback::conjugate::mixture
