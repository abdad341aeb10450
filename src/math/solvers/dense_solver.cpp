// P A = L U by columns, L with a unit diagonal below the diagonal of A, U above; row k was swapped with
// pivots[k].
#include "math/solvers/dense_solver.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <utility>

#include "math/solvers/block_vector.hpp"

namespace kullback::math::sundials {

namespace {

// False where a pivot is zero.
bool factor(double* a, std::size_t n, std::size_t* pivots) {
  for (std::size_t k = 0; k < n; ++k) {
    double* column = a + k * n;
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i) {
      if (std::abs(column[i]) > std::abs(column[pivot])) pivot = i;
    }
    pivots[k] = pivot;
    if (column[pivot] == 0) return false;
    if (pivot != k) {
      for (std::size_t j = 0; j < n; ++j) std::swap(a[j * n + k], a[j * n + pivot]);
    }
    const double inverse = 1 / column[k];
    for (std::size_t i = k + 1; i < n; ++i) column[i] *= inverse;
    for (std::size_t j = k + 1; j < n; ++j) {
      double* other = a + j * n;
      const double above = other[k];
      if (above == 0) continue;
      for (std::size_t i = k + 1; i < n; ++i) other[i] -= above * column[i];
    }
  }
  return true;
}

void substitute(const double* a, std::size_t n, const std::size_t* pivots, double* b) {
  for (std::size_t k = 0; k < n; ++k) {
    if (pivots[k] != k) std::swap(b[k], b[pivots[k]]);
  }
  for (std::size_t k = 0; k + 1 < n; ++k) {
    for (std::size_t i = k + 1; i < n; ++i) b[i] -= a[k * n + i] * b[k];
  }
  for (std::size_t k = n; k-- > 0;) {
    b[k] /= a[k * n + k];
    for (std::size_t i = 0; i < k; ++i) b[i] -= a[k * n + i] * b[k];
  }
}

SUNLinearSolver_Type type(SUNLinearSolver) { return SUNLINEARSOLVER_DIRECT; }
SUNLinearSolver_ID id(SUNLinearSolver) { return SUNLINEARSOLVER_CUSTOM; }
int release(SUNLinearSolver) { return SUNLS_SUCCESS; }  // DenseSolver owns it

}  // namespace

DenseSolver::DenseSolver(std::size_t size, SUNContext context)
    : size_(size),
      matrix_(SUNDenseMatrix(static_cast<sunindextype>(size), static_cast<sunindextype>(size), context)),
      pivots_(size) {
  if (matrix_ == nullptr) throw std::bad_alloc();
  operations_.gettype = type;
  operations_.getid = id;
  operations_.setup = setup;
  operations_.solve = solve;
  operations_.free = release;
  solver_.content = this;
  solver_.ops = &operations_;
  solver_.sunctx = context;
}

DenseSolver::~DenseSolver() { SUNMatDestroy(matrix_); }

int DenseSolver::setup(SUNLinearSolver solver, SUNMatrix matrix) {
  auto& own = *static_cast<DenseSolver*>(solver->content);
  return factor(SM_DATA_D(matrix), own.size_, own.pivots_.data()) ? SUNLS_SUCCESS : SUNLS_LUFACT_FAIL;
}

// A block of zeros stays one: where one vector holds states and another sensitivities, most blocks are.
int DenseSolver::solve(SUNLinearSolver solver, SUNMatrix matrix, N_Vector x, N_Vector b, double) {
  auto& own = *static_cast<DenseSolver*>(solver->content);
  const std::size_t n = own.size_;
  const BlockVector& right = block_vector(b);
  if (n == 1) {
    for (std::size_t i = 0; i < right.length; ++i) data(x)[i] = right.data[i] / *SM_DATA_D(matrix);
    return SUNLS_SUCCESS;
  }
  double* result = std::copy_n(right.data, right.length, data(x)) - right.length;
  for (double* block = result; block != result + right.length; block += n) {
    if (std::all_of(block, block + n, [](double v) { return v == 0; })) continue;
    substitute(SM_DATA_D(matrix), n, own.pivots_.data(), block);
  }
  return SUNLS_SUCCESS;
}

}  // namespace kullback::math::sundials
