// The factor of the prior's precisions for which the Laplace approximation of the marginal likelihood is
// largest, with the mode as it is (MacKay 1992; Immer et al. 2021, after training).
#pragma once

#include <torch/types.h>

namespace kullback::deep {

// relative [nets, n]: eigenvalues of the curvature in units of the prior's precisions; size [nets]: sum of
// precision * weight^2 over the n coordinates. Result [nets], between 1e-4 and 1e4.
torch::Tensor best_prior_scale(const torch::Tensor& relative, const torch::Tensor& size);
// log Z(s) + constant = (n log s - s * size - sum log(relative + s)) / 2; s [nets or 1, any], result [nets,
// any].
torch::Tensor log_evidence(const torch::Tensor& relative, const torch::Tensor& size, const torch::Tensor& s);

}  // namespace kullback::deep
