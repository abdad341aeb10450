// Dense linear algebra of the samplers: square matrices, row after row.
#pragma once

#include <cstddef>
#include <vector>

namespace kullback::infer {

// Lower triangular L with L L' = a, zeros above the diagonal; false where a is not positive definite.
bool cholesky(const std::vector<double>& a, std::size_t dim, std::vector<double>& lower);

// result = a x for symmetric a.
void symmetric_times(const double* a, const double* x, std::size_t dim, double* result);
// result = L x for lower triangular L; result may not be x.
void lower_times(const double* lower, const double* x, std::size_t dim, double* result);
// Solves L' x = b in place.
void solve_transposed(const double* lower, std::size_t dim, double* x);
// Solves L x = b in place.
void solve_lower(const double* lower, std::size_t dim, double* x);
// L such that L L' grows by v v'; v is used up.
void cholesky_update(double* lower, std::size_t dim, double* v);

}  // namespace kullback::infer
