// Matrices in batches. Many vectors that share a matrix are multiplied, or solved for, at once.
#pragma once

#include <torch/types.h>

namespace kullback::dist {

using at::Tensor;

// L^-1 v for L of shape B + [n, n] and v of shape S + B + [n]; shapes B broadcast.
Tensor solve_lower(const Tensor& lower, const Tensor& vectors);
// A v for A of shape B + [m, n].
Tensor times(const Tensor& matrix, const Tensor& vectors);
// Without an error check, which would wait for a GPU: a matrix that is not positive definite gives NaN.
Tensor cholesky_factor(const Tensor& matrix);
// The lower triangular factor L of the covariance L L' for a precision matrix.
Tensor scale_tril_of_precision(const Tensor& precision);
Tensor sum_log_diagonal(const Tensor& lower);
Tensor sum_squares(const Tensor& value, int64_t dims);  // over the last `dims` dimensions

}  // namespace kullback::dist
