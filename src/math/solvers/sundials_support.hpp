// Owners of SUNDIALS objects; included by the solvers built on it, by no header.
#pragma once

#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <cstddef>
#include <exception>
#include <string>
#include <string_view>

namespace kullback::math::sundials {

class Context final {
 public:
  Context();
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  operator SUNContext() const { return context_; }

 private:
  SUNContext context_ = nullptr;
};

// A view of numbers owned elsewhere.
class Vector final {
 public:
  Vector(std::size_t size, double* data, SUNContext context);
  ~Vector();
  Vector(const Vector&) = delete;
  Vector& operator=(const Vector&) = delete;
  operator N_Vector() const { return vector_; }

 private:
  N_Vector vector_;
};

// Views of `count` vectors of `size` numbers, one after another.
class Vectors final {
 public:
  Vectors(std::size_t count, std::size_t size, double* data, SUNContext context);
  ~Vectors();
  Vectors(const Vectors&) = delete;
  Vectors& operator=(const Vectors&) = delete;
  operator N_Vector*() const { return vectors_; }

 private:
  int count_;
  N_Vector* vectors_ = nullptr;
};

// A dense matrix and the solver that factors it.
class DenseSolver final {
 public:
  DenseSolver(std::size_t size, N_Vector like, SUNContext context);
  ~DenseSolver();
  DenseSolver(const DenseSolver&) = delete;
  DenseSolver& operator=(const DenseSolver&) = delete;
  SUNMatrix matrix() const { return matrix_; }
  SUNLinearSolver solver() const { return solver_; }

 private:
  SUNMatrix matrix_;
  SUNLinearSolver solver_;
};

// An exception must not pass through C: a callback keeps it here and returns kUserFailed.
inline constexpr int kUserFailed = -1;
class Kept final {
 public:
  template <class Callback>
  int run(const Callback& callback) {
    try {
      callback();
      return 0;
    } catch (...) {
      exception_ = std::current_exception();
      return kUserFailed;
    }
  }
  void rethrow() const {
    if (exception_) std::rethrow_exception(exception_);
  }

 private:
  std::exception_ptr exception_;
};

void silent_error_handler(int code, const char* module, const char* function, char* message, void* data);

}  // namespace kullback::math::sundials
