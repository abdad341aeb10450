// What multi_normal and multi_student_t share: a variate and a location that are vectors or arrays of
// vectors, and a matrix of their size. Included only by .cpp files.
#pragma once

#include <algorithm>

#include "math/array_ops/density_linear.hpp"

namespace kullback::math::density {

struct Located {
  std::size_t dimension = 0;
  std::size_t count = 0;     // of vectors, after broadcasting
  std::size_t location = 1;  // the argument that is the location

  Located(Arguments arguments, std::size_t location_argument) : location(location_argument) {
    const Shape& y = arguments[0].shape;
    const Shape& mu = arguments[location].shape;
    dimension = y.rows * y.cols;
    count = y.count == 0 || mu.count == 0 ? 0 : std::max(y.count, mu.count);
  }

  // Column i is y_i - mu_i.
  void differences(const Frame& frame, const View& result) const {
    const bool one_y = frame.arguments[0].shape.count == 1;
    const bool one_mu = frame.arguments[location].shape.count == 1;
    for (std::size_t i = 0; i < count; ++i) {
      const double* y = frame.data(0) + (one_y ? 0 : i * dimension);
      const double* mu = frame.data(location) + (one_mu ? 0 : i * dimension);
      double* column = result.data + i * dimension;
      for (std::size_t k = 0; k < dimension; ++k) column[k] = y[k] - mu[k];
    }
  }

  // The partial of the location is `slopes`, column by column, and that of the variate its negative.
  void add_slopes(const Frame& frame, const View& slopes) const {
    add_slopes(frame, 0, slopes, -1.0);
    add_slopes(frame, location, slopes, 1.0);
  }

 private:
  void add_slopes(const Frame& frame, std::size_t argument, const View& slopes, double sign) const {
    if (!frame.wants(argument)) return;
    const bool one = frame.arguments[argument].shape.count == 1;
    for (std::size_t i = 0; i < count; ++i) {
      double* partial = frame.partials[argument] + (one ? 0 : i * dimension);
      const double* column = slopes.data + i * dimension;
      for (std::size_t k = 0; k < dimension; ++k) partial[k] += sign * column[k];
    }
  }
};

struct LocatedNames {
  std::string_view function;
  std::string_view matrix;  // "covariance parameter"
};

inline void check_located_shapes(const LocatedNames& names, Arguments arguments, std::size_t location,
                                 std::size_t matrix) {
  const Shape& y = arguments[0].shape;
  const Shape& mu = arguments[location].shape;
  const Shape& scale = arguments[matrix].shape;
  const std::size_t size = y.rows * y.cols;
  if (y.count != 1 && mu.count != 1)
    check_size_match(names.function, "size of y", y.count, "size of mu", mu.count);
  if (y.count == 0 || mu.count == 0) return;
  check_size_match(names.function, "Size of random variable", size, "size of location parameter",
                   mu.rows * mu.cols);
  check_size_match(names.function, "Size of random variable", size, "rows of " + std::string(names.matrix),
                   scale.rows);
  check_size_match(names.function, "Size of random variable", size, "columns of " + std::string(names.matrix),
                   scale.cols);
}

}  // namespace kullback::math::density
