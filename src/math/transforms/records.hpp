// The records themselves, and words for what is wrong with a value; for the files of this folder and
// transform.cpp.
#pragma once

#include <string>

#include "math/transform.hpp"

namespace kullback::math::transforms {

#define KULLBACK_TRANSFORM(name) extern const TransformDef name##_transform;
#include "math/transforms/transforms.def"
#undef KULLBACK_TRANSFORM

std::string number_text(double value);  // the shortest text that reads back the same

// A number of an item is wrong: "is -1, but must be at least 0".
Violation wrong_number(std::size_t row, std::size_t col, double value, const std::string& requirement,
                       double excess);
// The item as a whole is: `what` is the predicate, "sums to 1.2, but must sum to 1".
Violation wrong_item(std::string what, double excess);

// Square, symmetric within the tolerance, positive definite; `rows` * `rows` numbers.
std::optional<Violation> check_symmetric(const double* matrix, std::size_t rows);
std::optional<Violation> check_positive_definite(const double* matrix, std::size_t rows);
// Exact zeros above the diagonal, a positive diagonal.
std::optional<Violation> check_triangle(const double* matrix, std::size_t rows, std::size_t cols);

// product = L L^T for a lower triangular L; and the adjoint of l_ij, i >= j, for the adjoints of all elements
// of it.
void multiply_self_transpose(const double* factor, std::size_t rows, double* product);
double self_transpose_adjoint(const double* factor, const double* product_adjoint, std::size_t rows,
                              std::size_t i, std::size_t j);

std::optional<Violation> check_simplex(const double* value, std::size_t count, std::size_t stride);
std::optional<Violation> check_ordered(const double* value, std::size_t count);

}  // namespace kullback::math::transforms
