// Owners of SUNDIALS objects; included by the solvers built on it, by no header.
#pragma once

#include <sundials/sundials_context.h>

#include <cstddef>
#include <deque>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "math/solvers/block_vector.hpp"
#include "math/solvers/dense_solver.hpp"

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

// A view of numbers owned elsewhere; of one block unless its size is given.
class Vector final {
 public:
  Vector(std::size_t size, double* numbers, SUNContext context);
  Vector(const BlockVector& numbers, SUNContext context);
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
  Vectors(std::size_t count, std::size_t size, double* numbers, SUNContext context);
  N_Vector* array() { return vectors_.data(); }

 private:
  std::deque<Vector> owned_;
  std::vector<N_Vector> vectors_;
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
