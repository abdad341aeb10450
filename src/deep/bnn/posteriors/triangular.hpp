// Triangular factors of covariance matrices from free numbers: of a square `raw`, [..., d, d], the part below
// the diagonal and the diagonal as logs of scales are read, what is above is not. A factor is
// diag(exp(scales)) (I + below), so that one rate of training suits factors of any size.
#pragma once

#include <torch/types.h>

namespace kullback::deep {

inline torch::Tensor log_diagonal(const torch::Tensor& raw) { return raw.diagonal(0, -2, -1); }

inline torch::Tensor triangular_factor(const torch::Tensor& raw) {
  const torch::Tensor unit = at::tril(raw, -1) + torch::eye(raw.size(-1), raw.options().requires_grad(false));
  return at::exp(log_diagonal(raw)).unsqueeze(-1) * unit;
}

}  // namespace kullback::deep
