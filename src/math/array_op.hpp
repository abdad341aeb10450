// Functions on whole vectors, matrices and arrays, with their adjoints: products, decompositions, reductions,
// multivariate densities, covariance functions. Writers of kernels see dense contiguous numbers of one draw;
// gathering from slots and lanes is the caller's business. Matrices are column-major; an array of vectors or
// matrices is its elements one after another. One file per theme in math/array_ops/, one line per function
// and argument kinds in array_ops/array_ops.def.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "math/distribution.hpp"
#include "math/type.hpp"

namespace kullback::math {

// A dense argument or result. For a scalar rows = cols = count = 1; a vector has cols = 1, a row vector rows
// = 1; an array of n such things has count = n (nested arrays: the product of their sizes).
struct Shape {
  std::size_t rows = 1;
  std::size_t cols = 1;
  std::size_t count = 1;

  std::size_t size() const { return rows * cols * count; }
  bool operator==(const Shape&) const = default;
};

struct DenseArgument {
  const double* data = nullptr;  // ints are given as doubles
  Shape shape;
  bool varies = false;
};

struct ArrayCall {
  std::span<const DenseArgument> arguments;
  Terms terms;                // of densities only
  double* result = nullptr;   // result shape's size; backward reads what forward wrote
  double* scratch = nullptr;  // scratch_size doubles, kept from forward to backward
  // backward only:
  const double* result_adjoint = nullptr;
  std::span<double* const> adjoints;  // one per argument, dense, to be ADDED to; null where it does not vary
};

struct ArrayOp {
  std::string_view name;              // Stan's: "multiply", "cholesky_decompose", "multi_normal_lpdf"
  std::vector<Type> parameter_types;  // the overload; int arguments included
  // Shape of the result; throws std::invalid_argument with a message like Stan's where shapes do not fit.
  // `data` of the arguments may be read for int arguments only.
  Shape (*result_shape)(std::span<const DenseArgument> arguments) = nullptr;
  std::size_t (*scratch_size)(std::span<const DenseArgument> arguments) = nullptr;  // null: none
  // Throws std::domain_error where Stan does (a matrix that is not positive definite, ...).
  void (*forward)(const ArrayCall& call) = nullptr;
  void (*backward)(const ArrayCall& call) = nullptr;  // null: a function of data and ints only
};

// The op for a name and the exact types of a resolved call (after promotion), or null.
const ArrayOp* find_array_op(std::string_view name, std::span<const Type> argument_types);
std::vector<const ArrayOp*> all_array_ops();

}  // namespace kullback::math
