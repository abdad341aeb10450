// What the files of matrix and array functions share: types, views of a call's arguments, checks with Stan's
// messages. Included only by .cpp files.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "math/array_op.hpp"
#include "math/array_ops/dense.hpp"
#include "math/array_ops/density_support.hpp"

namespace kullback::math::array_support {

using density::Arguments;
using density::check_bounded;
using density::check_finite;
using density::check_nonnegative;
using density::check_not_nan;
using density::check_positive;
using density::check_positive_finite;
using density::check_simplex;
using density::check_size_match;
using density::check_square;
using density::check_symmetric;
using density::kInt;
using density::kMatrix;
using density::kReal;
using density::kRowVector;
using density::kVector;
using density::throw_not_positive_definite;
using density::Values;

// The functions of an op; `scratch_size` and `backward` may be null.
struct Kernels {
  Shape (*result_shape)(Arguments arguments) = nullptr;
  std::size_t (*scratch_size)(Arguments arguments) = nullptr;
  void (*forward)(const ArrayCall& call) = nullptr;
  void (*backward)(const ArrayCall& call) = nullptr;
};

inline void append(std::vector<ArrayOp>& ops, std::string_view name,
                   const std::vector<std::vector<Type>>& overloads, const Kernels& kernels) {
  for (const std::vector<Type>& types : overloads) {
    ops.push_back(
        {name, types, kernels.result_shape, kernels.scratch_size, kernels.forward, kernels.backward});
  }
}

inline Shape scalar_shape(Arguments) { return {}; }
inline Shape same_shape(Arguments arguments) { return arguments[0].shape; }

inline std::size_t size(const ArrayCall& call, std::size_t j) { return call.arguments[j].shape.size(); }
inline std::size_t rows(const ArrayCall& call, std::size_t j) { return call.arguments[j].shape.rows; }
inline std::size_t cols(const ArrayCall& call, std::size_t j) { return call.arguments[j].shape.cols; }
inline const double* data(const ArrayCall& call, std::size_t j) { return call.arguments[j].data; }
inline double* adjoint(const ArrayCall& call, std::size_t j) { return call.adjoints[j]; }
inline bool varies(const ArrayCall& call, std::size_t j) { return call.adjoints[j] != nullptr; }
inline Values values(const ArrayCall& call, std::size_t j) { return {data(call, j), size(call, j)}; }

// Argument j or its adjoint as a matrix.
inline dense::ConstView matrix(const ArrayCall& call, std::size_t j) {
  return {data(call, j), rows(call, j), cols(call, j), false};
}
inline dense::View matrix_adjoint(const ArrayCall& call, std::size_t j) {
  return {adjoint(call, j), rows(call, j), cols(call, j)};
}
inline void check_matrix_symmetric(std::string_view function, std::string_view name,
                                   const dense::ConstView& a) {
  check_symmetric(function, name, density::Matrix{a.data, a.rows, a.cols});
}

// "multiply: Columns of m1 (2) and Rows of m2 (3) must match in size".
void check_multiplicable(std::string_view function, std::string_view a, const Shape& shape_a,
                         std::string_view b, const Shape& shape_b);
// "mean: m has size 0, but must have a non-zero size".
void check_nonzero_size(std::string_view function, std::string_view name, const Shape& shape);

}  // namespace kullback::math::array_support
