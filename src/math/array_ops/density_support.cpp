// The frame of a multivariate density and Stan's checks of its arguments.
#include "math/array_ops/density_support.hpp"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace kullback::math::density {
namespace {

std::string opening(std::string_view function, std::string_view name) {
  return std::string(function) + ": " + std::string(name);
}

std::string element_name(std::string_view name, std::size_t i, std::size_t count) {
  return count == 1 ? std::string(name) : std::string(name) + "[" + std::to_string(i + 1) + "]";
}

template <class Predicate>
void check_each(std::string_view function, std::string_view name, Values values, std::string_view must,
                Predicate holds) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!holds(values[i])) {
      throw std::domain_error(opening(function, element_name(name, i, values.size())) + " is " +
                              number(values[i]) + ", but must be " + std::string(must));
    }
  }
}

}  // namespace

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::size_t partials_size(Arguments arguments) {
  std::size_t size = 0;
  for (const DenseArgument& argument : arguments) size += argument.varies ? argument.shape.size() : 0;
  return size;
}

void forward(const ArrayCall& call, std::size_t work_size, double (*log_density)(const Frame&)) {
  Frame frame{.arguments = call.arguments, .terms = call.terms, .partials = {}, .work = nullptr};
  std::vector<double> own_work;
  if (call.scratch != nullptr) {
    double* next = call.scratch;
    for (std::size_t j = 0; j < call.arguments.size(); ++j) {
      if (!call.arguments[j].varies) continue;
      const std::size_t size = call.arguments[j].shape.size();
      frame.partials[j] = next;
      std::fill_n(next, size, 0.0);
      next += size;
    }
    frame.work = next;
  } else {
    own_work.resize(work_size);
    frame.work = own_work.data();
  }
  *call.result = log_density(frame);
}

void backward(const ArrayCall& call) {
  const double adjoint = *call.result_adjoint;
  const double* partial = call.scratch;
  for (std::size_t j = 0; j < call.arguments.size(); ++j) {
    if (!call.arguments[j].varies) continue;
    const std::size_t size = call.arguments[j].shape.size();
    if (double* target = call.adjoints[j]) {
      for (std::size_t i = 0; i < size; ++i) target[i] += adjoint * partial[i];
    }
    partial += size;
  }
}

std::vector<Type> vector_types() { return {kVector, kRowVector, array_of(kVector), array_of(kRowVector)}; }

std::vector<Type> int_types() { return {kInt, array_of(kInt)}; }

std::vector<std::vector<Type>> combinations(const std::vector<std::vector<Type>>& lists) {
  std::vector<std::vector<Type>> result{{}};
  for (const std::vector<Type>& list : lists) {
    std::vector<std::vector<Type>> longer;
    for (const std::vector<Type>& head : result) {
      for (const Type& type : list) {
        longer.push_back(head);
        longer.back().push_back(type);
      }
    }
    result = std::move(longer);
  }
  return result;
}

void check_size_match(std::string_view function, std::string_view a, std::size_t size_a, std::string_view b,
                      std::size_t size_b) {
  if (size_a == size_b) return;
  throw std::invalid_argument(opening(function, a) + " (" + std::to_string(size_a) + ") and " +
                              std::string(b) + " (" + std::to_string(size_b) + ") must match in size");
}

void check_square(std::string_view function, std::string_view name, const Shape& shape) {
  if (shape.rows == shape.cols) return;
  throw std::invalid_argument(opening(function, "Expecting a square matrix; rows of ") + std::string(name) +
                              " (" + std::to_string(shape.rows) + ") and columns of " + std::string(name) +
                              " (" + std::to_string(shape.cols) + ") must match in size");
}

void check_finite(std::string_view function, std::string_view name, Values values) {
  check_each(function, name, values, "finite!", [](double x) { return std::isfinite(x); });
}

void check_not_nan(std::string_view function, std::string_view name, Values values) {
  check_each(function, name, values, "not nan!", [](double x) { return !std::isnan(x); });
}

void check_positive(std::string_view function, std::string_view name, Values values) {
  check_each(function, name, values, "positive!", [](double x) { return x > 0; });
}

void check_positive_finite(std::string_view function, std::string_view name, Values values) {
  check_each(function, name, values, "positive finite!", [](double x) { return x > 0 && x < kInfinity; });
}

void check_nonnegative(std::string_view function, std::string_view name, Values values) {
  check_each(function, name, values, "nonnegative!", [](double x) { return x >= 0; });
}

void check_greater(std::string_view function, std::string_view name, double value, double low) {
  if (value > low) return;
  throw_domain_error(function, name, "is " + number(value) + ", but must be greater than " + number(low));
}

void check_bounded(std::string_view function, std::string_view name, Values values, Interval interval) {
  const auto inside = [interval](double x) { return x >= interval.low && x <= interval.high; };
  if (std::all_of(values.begin(), values.end(), inside)) return;
  check_each(function, name, values,
             "in the interval [" + number(interval.low) + ", " + number(interval.high) + "]", inside);
}

void check_simplex(std::string_view function, std::string_view name, Values values) {
  double sum = 0;
  for (double value : values) sum += value;
  if (!(std::abs(1 - sum) <= kConstraintTolerance)) {
    throw std::domain_error(opening(function, name) + " is not a valid simplex. sum(" + std::string(name) +
                            ") = " + number(sum) + ", but should be 1");
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] >= 0) continue;
    throw std::domain_error(opening(function, name) + " is not a valid simplex. " + std::string(name) + "[" +
                            std::to_string(i + 1) + "] = " + number(values[i]) +
                            ", but should be greater than or equal to 0");
  }
}

void check_ordered(std::string_view function, std::string_view name, Values values) {
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i] > values[i - 1]) continue;
    throw std::domain_error(opening(function, name) + " is not a valid ordered vector. The element at " +
                            std::to_string(i + 1) + " is " + number(values[i]) +
                            ", but should be greater than the previous element, " + number(values[i - 1]));
  }
}

void check_symmetric(std::string_view function, std::string_view name, const Matrix& matrix) {
  const std::size_t n = matrix.rows;
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = j + 1; i < n; ++i) {
      const double lower = matrix.data[i + j * n];
      const double upper = matrix.data[j + i * n];
      if (std::abs(upper - lower) <= kConstraintTolerance) continue;
      const std::string at = "[" + std::to_string(j + 1) + "," + std::to_string(i + 1) + "]";
      const std::string mirror = "[" + std::to_string(i + 1) + "," + std::to_string(j + 1) + "]";
      throw std::domain_error(opening(function, name) + " is not symmetric. " + std::string(name) + at +
                              " = " + number(upper) + ", but " + std::string(name) + mirror + " = " +
                              number(lower));
    }
  }
}

void check_cholesky_factor(std::string_view function, std::string_view name, const Matrix& matrix) {
  const std::size_t n = matrix.rows;
  for (std::size_t j = 0; j < matrix.cols; ++j) {
    for (std::size_t i = 0; i < j && i < n; ++i) {
      if (matrix.data[i + j * n] == 0) continue;
      throw std::domain_error(opening(function, name) + " is not lower triangular; " + std::string(name) +
                              "[" + std::to_string(i + 1) + "," + std::to_string(j + 1) +
                              "]=" + number(matrix.data[i + j * n]));
    }
  }
  for (std::size_t i = 0; i < std::min(n, matrix.cols); ++i) {
    if (matrix.data[i + i * n] > 0) continue;
    throw std::domain_error(opening(function, name) + ": diagonal element " + std::to_string(i + 1) + " is " +
                            number(matrix.data[i + i * n]) + ", but must be positive!");
  }
}

void throw_not_positive_definite(std::string_view function, std::string_view name) {
  throw std::domain_error(opening(function, name) + " is not positive definite.");
}

void throw_domain_error(std::string_view function, std::string_view name, std::string_view what) {
  throw std::domain_error(opening(function, name) + " " + std::string(what));
}

}  // namespace kullback::math::density
