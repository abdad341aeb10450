// The Wishart distribution of a d x d precision matrix in terms of its packed inverse scale V and degrees nu:
//   A = -(nu/2) log|V| + (nu d/2) log 2 + log Gamma_d(nu/2),
//   E x = nu V^-1,   E log|x| = digamma_d(nu/2) + d log 2 - log|V|.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "conjugate/families/faults.hpp"
#include "conjugate/families/inversion.hpp"
#include "conjugate/families/symmetric.hpp"
#include "math/gamma_functions.hpp"

namespace kullback::conjugate {

struct WishartPoint {
  std::size_t d = 0;

  std::string fault(const double* v, double nu) const {
    if (!(nu > static_cast<double>(d) - 1) || !std::isfinite(nu))
      return fmt::format("the degrees of freedom are {}; more than {} are needed", nu, d - 1);
    return shared_cholesky().factor(d, v) ? std::string() : definite_fault("inverse scale");
  }
  double log_partition(const double* v, double nu) const {
    shared_cholesky().factor(d, v);
    return -0.5 * nu * shared_cholesky().log_determinant() +
           0.5 * nu * static_cast<double>(d) * std::numbers::ln2 +
           math::log_multivariate_gamma(static_cast<int>(d), 0.5 * nu);
  }
  // E x packed, its elements off the diagonal once; returns E log|x|.
  double mean(const double* v, double nu, double* matrix) const {
    shared_cholesky().factor(d, v);
    shared_cholesky().inverse(matrix);
    for (std::size_t i = 0; i < triangle(d); ++i) matrix[i] *= nu;
    return math::multivariate_digamma(static_cast<int>(d), 0.5 * nu) +
           static_cast<double>(d) * std::numbers::ln2 - shared_cholesky().log_determinant();
  }
  // v and nu from E x (elements off the diagonal once) and E log|x|; false where there are none.
  bool of_mean(const double* matrix, double log_determinant, double* v, double& nu) const {
    if (!shared_cholesky().factor(d, matrix)) return false;
    const double gap = shared_cholesky().log_determinant() - log_determinant;
    if (!(gap > 0) || !std::isfinite(gap)) return false;
    nu = 2 * shape_of_gap(gap, d);
    shared_cholesky().inverse(v);
    for (std::size_t i = 0; i < triangle(d); ++i) v[i] *= nu;
    return true;
  }
  // Of a value of the matrix: packed statistics, and log|x|.
  double statistics(const double* x, double* t) const {
    pack(d, x, 1, t);
    shared_cholesky().factor(d, t);
    scale_off_diagonal(d, 2, t);
    return shared_cholesky().log_determinant();
  }
  std::string value_fault(const double* x) const {
    std::vector<double> lower(triangle(d));
    pack(d, x, 1, lower.data());
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (std::abs(x[i * d + j] - x[j * d + i]) > 1e-8 * std::abs(x[i * d + j]))
          return "the matrix is not symmetric";
    return shared_cholesky().factor(d, lower.data()) ? std::string() : definite_fault("matrix");
  }
};

}  // namespace kullback::conjugate
