// What the files of multivariate densities share: the frame in which a density is evaluated, Stan's checks
// with Stan's messages, and views of arguments. Included only by .cpp files.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "math/array_op.hpp"

namespace kullback::math::density {

inline constexpr double kLogTwo = 0.693147180559945309417232121458176568;
inline constexpr double kLogPi = 1.144729885849400174143427351353058712;
inline constexpr double kHalfLogTwoPi = 0.918938533204672741780329736405617640;
inline constexpr double kConstraintTolerance = 1e-8;  // Stan's, for symmetry and sums to one
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr std::size_t kMaxArguments = 8;

using Arguments = std::span<const DenseArgument>;

// One evaluation. partials[j] is null where the derivative by argument j is not wanted; otherwise it holds
// zeros, as many as the argument has numbers, to which the density adds. `work` has the numbers that
// work_size asked for.
struct Frame {
  Arguments arguments;
  Terms terms;
  std::array<double*, kMaxArguments> partials{};
  double* work = nullptr;

  const double* data(std::size_t j) const { return arguments[j].data; }
  std::size_t size(std::size_t j) const { return arguments[j].shape.size(); }
  bool wants(std::size_t j) const { return partials[j] != nullptr; }
};

std::size_t partials_size(Arguments arguments);
void forward(const ArrayCall& call, std::size_t work_size, double (*log_density)(const Frame&));
void backward(const ArrayCall& call);

// The record of one overload. Family has
//   static void check_shapes(Arguments);            throws std::invalid_argument
//   static std::size_t work_size(Arguments);
//   static double log_density(const Frame&);        throws std::domain_error
template <class Family>
ArrayOp density_op(std::string_view name, std::vector<Type> parameter_types) {
  return {
      name,
      std::move(parameter_types),
      [](Arguments arguments) {
        Family::check_shapes(arguments);
        return Shape{};
      },
      [](Arguments arguments) { return partials_size(arguments) + Family::work_size(arguments); },
      [](const ArrayCall& call) { forward(call, Family::work_size(call.arguments), &Family::log_density); },
      &backward};
}

inline const Type kInt{Kind::int_};
inline const Type kReal{Kind::real};
inline const Type kVector{Kind::vector};
inline const Type kRowVector{Kind::row_vector};
inline const Type kMatrix{Kind::matrix};
// vector, row_vector and arrays of them: what a multivariate variate or location may be.
std::vector<Type> vector_types();
// int and array[] int.
std::vector<Type> int_types();

// Every combination of one type from each list.
std::vector<std::vector<Type>> combinations(const std::vector<std::vector<Type>>& lists);

// Stan's checks. The first throws std::invalid_argument; the others throw std::domain_error.
void check_size_match(std::string_view function, std::string_view a, std::size_t size_a, std::string_view b,
                      std::size_t size_b);
struct Matrix {
  const double* data;
  std::size_t rows;
  std::size_t cols;
};
using Values = std::span<const double>;
void check_finite(std::string_view function, std::string_view name, Values values);
void check_not_nan(std::string_view function, std::string_view name, Values values);
void check_positive(std::string_view function, std::string_view name, Values values);
void check_positive_finite(std::string_view function, std::string_view name, Values values);
void check_nonnegative(std::string_view function, std::string_view name, Values values);
void check_greater(std::string_view function, std::string_view name, double value, double low);
struct Interval {
  double low;
  double high;
};
void check_bounded(std::string_view function, std::string_view name, Values values, Interval interval);
void check_simplex(std::string_view function, std::string_view name, Values values);
void check_ordered(std::string_view function, std::string_view name, Values values);
void check_square(std::string_view function, std::string_view name, const Shape& shape);
void check_symmetric(std::string_view function, std::string_view name, const Matrix& matrix);
// Lower triangular with a positive diagonal.
void check_cholesky_factor(std::string_view function, std::string_view name, const Matrix& matrix);
[[noreturn]] void throw_not_positive_definite(std::string_view function, std::string_view name);
[[noreturn]] void throw_domain_error(std::string_view function, std::string_view name, std::string_view what);

inline Values values_of(const Frame& frame, std::size_t j) { return {frame.data(j), frame.size(j)}; }
inline Matrix matrix_of(const Frame& frame, std::size_t j) {
  return {frame.data(j), frame.arguments[j].shape.rows, frame.arguments[j].shape.cols};
}

// A number as Stan prints it in messages: up to six significant digits.
std::string number(double value);

}  // namespace kullback::math::density
