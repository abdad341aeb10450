// Covariance functions of Gaussian processes that depend on the scaled distance r, r^2 = s = sum_d ((x_d -
// y_d) / l_d)^2:
//   gp_exp_quad_cov     k = a^2 exp(-s / 2)                         dk/ds = -k / 2
//   gp_matern32_cov     k = a^2 (1 + q) exp(-q),          q = 3^.5 r, dk/ds = -(3/2) k / (1 + q)
//   gp_matern52_cov     k = a^2 (1 + q + q^2/3) exp(-q),  q = 5^.5 r, dk/ds = -(5/6) k (1 + q) / (1 + q +
//   q^2/3) gp_exponential_cov  k = a^2 exp(-r)                             dk/ds = -k / (2 r), taken as 0 at
//   r = 0
// One set of points (the matrix is symmetric) or two; one length scale or one for each dimension. With W = K_
// .* dk/ds:
//   a_ += 2 sum K_ .* K / a,  l_d_ -= 2 sum W_ij z_d^2 / l_d,  x_id_ += 2 sum_j W_ij z_d / l_d,  z = (x_i -
//   x_j) / l
// Scratch: the points divided by the length scales, then s.
#include <cmath>

#include "math/array_ops/array_support.hpp"

namespace kullback::math {
namespace {

using namespace array_support;

struct ExpQuad {
  static constexpr std::string_view kName = "gp_exp_quad_cov";
  static double correlation(double s) { return std::exp(-0.5 * s); }
  static double slope(double k, double) { return -0.5 * k; }
};

struct Matern32 {
  static constexpr std::string_view kName = "gp_matern32_cov";
  static double correlation(double s) {
    const double q = std::sqrt(3 * s);
    return (1 + q) * std::exp(-q);
  }
  static double slope(double k, double s) { return -1.5 * k / (1 + std::sqrt(3 * s)); }
};

struct Matern52 {
  static constexpr std::string_view kName = "gp_matern52_cov";
  static double correlation(double s) {
    const double q = std::sqrt(5 * s);
    return (1 + q + q * q / 3) * std::exp(-q);
  }
  static double slope(double k, double s) {
    const double q = std::sqrt(5 * s);
    return -5.0 / 6 * k * (1 + q) / (1 + q + q * q / 3);
  }
};

struct Exponential {
  static constexpr std::string_view kName = "gp_exponential_cov";
  static double correlation(double s) { return std::exp(-std::sqrt(s)); }
  static double slope(double k, double s) { return s == 0 ? 0 : -0.5 * k / std::sqrt(s); }
};

// Where the parts of a call are. With one set of points `second` is `first`.
struct Layout {
  std::size_t second;
  std::size_t magnitude;
  std::size_t length;
  bool two;

  explicit Layout(Arguments arguments)
      : second(arguments.size() - 3), magnitude(second + 1), length(second + 2), two(second == 1) {}
};

std::size_t dimension(const DenseArgument& points) { return points.shape.rows * points.shape.cols; }

template <class Function, bool kManyLengths>
Shape shape(Arguments arguments) {
  const Layout at(arguments);
  const Shape result{arguments[0].shape.count, arguments[at.second].shape.count, 1};
  if (result.size() == 0) {
    return result;
  }
  if (at.two) {
    check_size_match(Function::kName, "x1's row", dimension(arguments[0]), "x2's row",
                     dimension(arguments[1]));
  }
  if (kManyLengths) {
    check_size_match(Function::kName, "x dimension", dimension(arguments[0]), "number of length scales",
                     arguments[at.length].shape.size());
  }
  return result;
}

std::size_t scratch(Arguments arguments) {
  const Layout at(arguments);
  const std::size_t n = arguments[0].shape.count;
  const std::size_t k = arguments[at.second].shape.count;
  return arguments[0].shape.size() + (at.two ? arguments[1].shape.size() : 0) + n * k;
}

// z = x / l.
void divide_by_lengths(const ArrayCall& call, std::size_t points, std::size_t length, double* z) {
  const std::size_t d = dimension(call.arguments[points]);
  const std::size_t step = size(call, length) == 1 ? 0 : 1;
  const double* x = data(call, points);
  const double* l = data(call, length);
  for (std::size_t i = 0; i < call.arguments[points].shape.count; ++i) {
    for (std::size_t c = 0; c < d; ++c) {
      z[i * d + c] = x[i * d + c] / l[c * step];
    }
  }
}

struct Room {
  double* first;
  double* second;
  double* s;
};

Room room(const ArrayCall& call, const Layout& at) {
  double* second = at.two ? call.scratch + size(call, 0) : call.scratch;
  return {call.scratch, second, second + size(call, at.second)};
}

template <class Function>
void forward(const ArrayCall& call) {
  const Layout at(call.arguments);
  const std::size_t n = call.arguments[0].shape.count;
  const std::size_t k = call.arguments[at.second].shape.count;
  const std::size_t d = dimension(call.arguments[0]);
  check_not_nan(Function::kName, at.two ? "x1" : "x", values(call, 0));
  if (at.two) {
    check_not_nan(Function::kName, "x2", values(call, 1));
  }
  check_positive_finite(Function::kName, "magnitude", values(call, at.magnitude));
  check_positive_finite(Function::kName, "length scale", values(call, at.length));
  const auto [first, second, s] = room(call, at);
  divide_by_lengths(call, 0, at.length, first);
  if (at.two) {
    divide_by_lengths(call, 1, at.length, second);
  }
  const double magnitude = data(call, at.magnitude)[0];
  const double variance = magnitude * magnitude;
  for (std::size_t j = 0; j < k; ++j) {
    const double* y = second + j * d;
    const std::size_t from = at.two ? 0 : j + 1;
    double* column = s + j * n;
    for (std::size_t i = from; i < n; ++i) {
      double total = 0;
      for (std::size_t c = 0; c < d; ++c) {
        const double z = first[i * d + c] - y[c];
        total += z * z;
      }
      column[i] = total;
    }
    double* result = call.result + j * n;
    for (std::size_t i = from; i < n; ++i) {
      result[i] = variance * Function::correlation(column[i]);
    }
    if (!at.two) {
      result[j] = variance;
    }
  }
  if (!at.two) {
    dense::mirror_lower({call.result, n, n});
  }
}

template <class Function>
void backward(const ArrayCall& call) {
  const Layout at(call.arguments);
  const std::size_t n = call.arguments[0].shape.count;
  const std::size_t k = call.arguments[at.second].shape.count;
  const std::size_t d = dimension(call.arguments[0]);
  const auto [first, second, s] = room(call, at);
  const double* k_bar = call.result_adjoint;
  if (varies(call, at.magnitude)) {
    adjoint(call, at.magnitude)[0] += 2 * dense::dot(k_bar, call.result, n * k) / data(call, at.magnitude)[0];
  }
  const bool points = varies(call, 0) || varies(call, at.second);
  const bool one_length = size(call, at.length) == 1;
  const bool lengths = varies(call, at.length);
  if (!points && !lengths) {
    return;
  }
  const double* l = data(call, at.length);
  const std::size_t step = one_length ? 0 : 1;
  double of_length = 0;
  for (std::size_t j = 0; j < k; ++j) {
    for (std::size_t i = at.two ? 0 : j + 1; i < n; ++i) {
      const double both = at.two ? k_bar[i + j * n] : k_bar[i + j * n] + k_bar[j + i * n];
      const double distance = s[i + j * n];
      const double w = both * Function::slope(call.result[i + j * n], distance);
      if (w == 0) {
        continue;
      }
      if (one_length) {
        of_length -= w * distance;
      }
      if (!points && one_length) {
        continue;
      }
      for (std::size_t c = 0; c < d; ++c) {
        const double z = first[i * d + c] - second[j * d + c];
        const double change = 2 * w * z / l[c * step];
        if (lengths && !one_length) {
          adjoint(call, at.length)[c] -= change * z;
        }
        if (varies(call, 0)) {
          adjoint(call, 0)[i * d + c] += change;
        }
        if (varies(call, at.second)) {
          adjoint(call, at.second)[j * d + c] -= change;
        }
      }
    }
  }
  if (lengths && one_length) {
    adjoint(call, at.length)[0] += 2 * of_length / l[0];
  }
}

template <class Function>
void append_function(std::vector<ArrayOp>& ops) {
  const Type reals = array_of(kReal);
  const Type vectors = array_of(kVector);
  append(ops, Function::kName,
         {{reals, kReal, kReal},
          {reals, reals, kReal, kReal},
          {vectors, kReal, kReal},
          {vectors, vectors, kReal, kReal}},
         {shape<Function, false>, scratch, forward<Function>, backward<Function>});
  append(ops, Function::kName, {{vectors, kReal, reals}, {vectors, vectors, kReal, reals}},
         {shape<Function, true>, scratch, forward<Function>, backward<Function>});
}

}  // namespace

void append_covariance_ops(std::vector<ArrayOp>& ops) {
  append_function<ExpQuad>(ops);
  append_function<Matern32>(ops);
  append_function<Matern52>(ops);
  append_function<Exponential>(ops);
}

}  // namespace kullback::math
