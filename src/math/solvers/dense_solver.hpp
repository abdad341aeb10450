// Dense linear systems for SUNDIALS: LU with partial pivoting, for right-hand sides of one or more blocks.
#pragma once

#include <sundials/sundials_linearsolver.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <cstddef>
#include <vector>

namespace kullback::math::sundials {

// A dense matrix and the solver that factors it, for block vectors whose blocks have `size` numbers: each
// block is a right-hand side. The steps are those of SUNLinSol_Dense, so results are the same bits.
class DenseSolver final {
 public:
  DenseSolver(std::size_t size, SUNContext context);
  ~DenseSolver();
  DenseSolver(const DenseSolver&) = delete;
  DenseSolver& operator=(const DenseSolver&) = delete;
  SUNMatrix matrix() const { return matrix_; }
  SUNLinearSolver solver() { return &solver_; }

 private:
  static int setup(SUNLinearSolver solver, SUNMatrix matrix);
  static int solve(SUNLinearSolver solver, SUNMatrix matrix, N_Vector x, N_Vector b, double tolerance);

  std::size_t size_;
  SUNMatrix matrix_;
  std::vector<std::size_t> pivots_;
  _generic_SUNLinearSolver_Ops operations_{};
  _generic_SUNLinearSolver solver_{};
};

}  // namespace kullback::math::sundials
