#include "math/solvers/sundials_support.hpp"

#include <new>

namespace kullback::math::sundials {

Context::Context() {
  if (SUNContext_Create(nullptr, &context_) != 0) throw std::bad_alloc();
}
Context::~Context() { SUNContext_Free(&context_); }

Vector::Vector(std::size_t size, double* data, SUNContext context)
    : vector_(N_VMake_Serial(static_cast<sunindextype>(size), data, context)) {
  if (vector_ == nullptr) throw std::bad_alloc();
  N_VEnableFusedOps_Serial(vector_, SUNTRUE);  // fewer calls: systems are small, and calls are what they cost
}
Vector::~Vector() { N_VDestroy(vector_); }

Vectors::Vectors(std::size_t count, std::size_t size, double* data, SUNContext context)
    : count_(static_cast<int>(count)) {
  if (count == 0) return;
  const Vector first(size, data, context);
  vectors_ = N_VCloneEmptyVectorArray(count_, first);
  if (vectors_ == nullptr) throw std::bad_alloc();
  for (std::size_t k = 0; k < count; ++k) NV_DATA_S(vectors_[k]) = data + k * size;
}
Vectors::~Vectors() {
  if (vectors_ != nullptr) N_VDestroyVectorArray(vectors_, count_);
}

DenseSolver::DenseSolver(std::size_t size, N_Vector like, SUNContext context)
    : matrix_(SUNDenseMatrix(static_cast<sunindextype>(size), static_cast<sunindextype>(size), context)),
      solver_(SUNLinSol_Dense(like, matrix_, context)) {
  if (matrix_ == nullptr || solver_ == nullptr) throw std::bad_alloc();
}
DenseSolver::~DenseSolver() {
  SUNLinSolFree(solver_);
  SUNMatDestroy(matrix_);
}

void silent_error_handler(int, const char*, const char*, char*, void*) {}

}  // namespace kullback::math::sundials
