// A function from R^n to R^m as the solvers call it, thousands of times per solution.
#pragma once

#include <cstddef>

namespace kullback::math {

// Not const: an implementation keeps its work space from call to call. All throw std::domain_error where the
// function refuses its arguments.
class VectorFunction {
 public:
  virtual ~VectorFunction() = default;

  virtual std::size_t input_count() const = 0;
  virtual std::size_t output_count() const = 0;
  virtual void value(const double* x, double* f) = 0;
  // Jacobian by columns: d f_i / d x_j at j * output_count + i.
  virtual void jacobian(const double* x, double* f, double* jacobian) = 0;
  // gradient = transpose of the Jacobian times `adjoint`.
  virtual void pull_back(const double* x, const double* adjoint, double* gradient) = 0;
};

}  // namespace kullback::math
