// gp_periodic_cov: k(x, y) = a^2 exp(-2 sin^2(u) / l^2), u = pi r / p, r = |x - y|; one set of points or two.
//   a: 2 k / a    l: 4 k sin^2(u) / l^3    p: 2 k sin(2u) u / (l^2 p)    r: -2 k sin(2u) pi / (l^2 p)
//   x_d: (dk/dr) (x_d - y_d) / r, taken as 0 at r = 0. Scratch: r.
#include <cmath>
#include <numbers>

#include "math/array_ops/array_support.hpp"

namespace kullback::math {
namespace {

using namespace array_support;

constexpr std::string_view kName = "gp_periodic_cov";

// With one set of points the second is the first.
std::size_t second_of(Arguments arguments) { return arguments.size() - 4; }
std::size_t dimension(const DenseArgument& points) { return points.shape.rows * points.shape.cols; }

Shape shape(Arguments arguments) {
  const std::size_t second = second_of(arguments);
  const Shape result{arguments[0].shape.count, arguments[second].shape.count, 1};
  if (result.size() != 0) {
    check_size_match(kName, "x1's row", dimension(arguments[0]), "x2's row", dimension(arguments[second]));
  }
  return result;
}

std::size_t scratch(Arguments arguments) { return shape(arguments).size(); }

struct Hyper {
  double magnitude;
  double length;
  double period;

  explicit Hyper(const ArrayCall& call) {
    const std::size_t second = second_of(call.arguments);
    magnitude = data(call, second + 1)[0];
    length = data(call, second + 2)[0];
    period = data(call, second + 3)[0];
  }
};

double distance(const double* x, const double* y, std::size_t d) {
  double total = 0;
  for (std::size_t c = 0; c < d; ++c) {
    total += (x[c] - y[c]) * (x[c] - y[c]);
  }
  return d == 1 ? std::fabs(x[0] - y[0]) : std::sqrt(total);
}

void forward(const ArrayCall& call) {
  const std::size_t second = second_of(call.arguments);
  check_positive(kName, "signal standard deviation", values(call, second + 1));
  check_positive(kName, "length-scale", values(call, second + 2));
  check_positive(kName, "period", values(call, second + 3));
  check_not_nan(kName, "element of x1", values(call, 0));
  check_not_nan(kName, "element of x2", values(call, second));
  const std::size_t n = call.arguments[0].shape.count;
  const std::size_t d = dimension(call.arguments[0]);
  const Hyper hyper(call);
  for (std::size_t j = 0; j < call.arguments[second].shape.count; ++j) {
    for (std::size_t i = second == 1 ? 0 : j; i < n; ++i) {
      const double r = distance(data(call, 0) + i * d, data(call, second) + j * d, d);
      const double sine = std::sin(std::numbers::pi * r / hyper.period) / hyper.length;
      call.scratch[i + j * n] = r;
      call.result[i + j * n] = hyper.magnitude * hyper.magnitude * std::exp(-2 * sine * sine);
    }
  }
  if (second == 0) {
    dense::mirror_lower({call.result, n, n});
  }
}

void backward(const ArrayCall& call) {
  const std::size_t second = second_of(call.arguments);
  const std::size_t n = call.arguments[0].shape.count;
  const std::size_t k = call.arguments[second].shape.count;
  const std::size_t d = dimension(call.arguments[0]);
  const Hyper hyper(call);
  const double square = hyper.length * hyper.length;
  double of_length = 0;
  double of_period = 0;
  for (std::size_t j = 0; j < k; ++j) {
    for (std::size_t i = second == 1 ? 0 : j + 1; i < n; ++i) {
      const double k_bar =
          call.result_adjoint[i + j * n] + (second == 1 ? 0 : call.result_adjoint[j + i * n]);
      const double r = call.scratch[i + j * n];
      const double u = std::numbers::pi * r / hyper.period;
      const double w = k_bar * call.result[i + j * n];
      const double sine = std::sin(u);
      const double slope = 2 * w * std::sin(2 * u) / (square * hyper.period);
      of_length += 4 * w * sine * sine / (square * hyper.length);
      of_period += slope * u;
      for (std::size_t c = 0; r > 0 && c < d; ++c) {
        const double change =
            -slope * std::numbers::pi * (data(call, 0)[i * d + c] - data(call, second)[j * d + c]) / r;
        if (varies(call, 0)) {
          adjoint(call, 0)[i * d + c] += change;
        }
        if (varies(call, second)) {
          adjoint(call, second)[j * d + c] -= change;
        }
      }
    }
  }
  if (varies(call, second + 1)) {
    adjoint(call, second + 1)[0] += 2 * dense::dot(call.result_adjoint, call.result, n * k) / hyper.magnitude;
  }
  if (varies(call, second + 2)) {
    adjoint(call, second + 2)[0] += of_length;
  }
  if (varies(call, second + 3)) {
    adjoint(call, second + 3)[0] += of_period;
  }
}

}  // namespace

void append_periodic_covariance_ops(std::vector<ArrayOp>& ops) {
  const Type reals = array_of(kReal);
  const Type vectors = array_of(kVector);
  append(ops, kName,
         {{reals, kReal, kReal, kReal},
          {reals, reals, kReal, kReal, kReal},
          {vectors, kReal, kReal, kReal},
          {vectors, vectors, kReal, kReal, kReal}},
         {shape, scratch, forward, backward});
}

}  // namespace kullback::math
