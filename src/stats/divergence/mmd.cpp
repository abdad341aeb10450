// U = S_xx / (n (n - 1)) + S_yy / (m (m - 1)) - 2 S_xy / (n m), S_xx the sum of the kernel over pairs of
// different points of x. Its error by the jackknife: leaving point i out takes from S_xx twice the sum r_i of
// the kernel between point i and the others, from S_xy the sum over y. Where p = q the leading part of the
// variance vanishes and the jackknife gives twice the next one.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <vector>

#include "base/error.hpp"
#include "stats/divergence/pairs.hpp"
#include "stats/sums.hpp"

namespace kullback::stats {
namespace {

constexpr std::size_t kMedianPoints = 1000;

std::size_t count(const Points& of) { return of.values.size() / of.dim; }

void check_points(const Points& of, const char* which) {
  if (of.dim == 0 || of.values.size() % of.dim != 0 || of.values.size() < 2 * of.dim)
    throw Error(ErrorKind::usage,
                fmt::format("the {} sample has {} values of {} coordinates; MMD needs 2 whole points.", which,
                            of.values.size(), of.dim));
  if (!are_finite(of.values))
    throw Error(ErrorKind::bad_input, fmt::format("the {} sample has values that are not finite.", which));
}

void check_both(const Points& x, const Points& y) {
  check_points(x, "first");
  check_points(y, "second");
  if (x.dim != y.dim)
    throw Error(ErrorKind::usage, fmt::format("the samples have {} and {} coordinates.", x.dim, y.dim));
}

// Sums of the kernel between each point and the other sample, or the others of its own sample.
struct Sums {
  std::vector<double> own, other;
  double own_total() const { return std::accumulate(own.begin(), own.end(), 0.0); }
};

class Kernels final {
 public:
  Kernels(const Points& x, const Points& y, const Kernel& kernel)
      : kernel_{kernel.shape, kernel.length_scale}, dim_(x.dim) {
    of_x_ = own(x);
    of_y_ = own(y);
    of_x_.other.assign(count(x), 0);
    of_y_.other.assign(count(y), 0);
    for (std::size_t i = 0; i < count(x); ++i)
      for (std::size_t j = 0; j < count(y); ++j) {
        const double value = at(x.values.data() + i * dim_, y.values.data() + j * dim_);
        of_x_.other[i] += value;
        of_y_.other[j] += value;
      }
  }

  const Sums& of_x() const { return of_x_; }
  const Sums& of_y() const { return of_y_; }

 private:
  double at(const double* a, const double* b) const {
    return derivatives(kernel_, squared_distance(a, b, dim_)).value;
  }

  Sums own(const Points& of) const {
    Sums result{std::vector<double>(count(of), 0.0), {}};
    for (std::size_t i = 0; i < count(of); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const double value = at(of.values.data() + i * dim_, of.values.data() + j * dim_);
        result.own[i] += value;
        result.own[j] += value;
      }
    return result;
  }

  RadialKernel kernel_;
  std::size_t dim_;
  Sums of_x_, of_y_;
};

// The jackknife's variance from leaving out each point of one sample; NaN for fewer than 3.
double jackknife(const Sums& of, double others) {
  const double n = static_cast<double>(of.own.size());
  if (n < 3) return std::numeric_limits<double>::quiet_NaN();
  std::vector<double> left_out;  // but for what is the same for all points
  for (std::size_t i = 0; i < of.own.size(); ++i)
    left_out.push_back(-2 * of.own[i] / ((n - 1) * (n - 2)) + 2 * of.other[i] / ((n - 1) * others));
  return (n - 1) * (n - 1) / n * variance(left_out);
}

void append_points(std::vector<double>& to, const Points& of) {
  const std::size_t taken = std::min(count(of), kMedianPoints) * of.dim;
  to.insert(to.end(), of.values.begin(), of.values.begin() + static_cast<std::ptrdiff_t>(taken));
}

Kernel with_length_scale(const Points& x, const Points& y, Kernel kernel) {
  if (!(kernel.length_scale >= 0) || std::isinf(kernel.length_scale))
    throw Error(ErrorKind::usage,
                fmt::format("the length scale is {}; it must be positive, or 0 for the median "
                            "distance.",
                            kernel.length_scale));
  if (kernel.length_scale == 0) kernel.length_scale = median_distance(x, y);
  return kernel;
}

}  // namespace

// Eight partial sums, which stay in vector registers.
double squared_distance(const double* a, const double* b, std::size_t dim) {
  double partial[8] = {};
  std::size_t k = 0;
  for (; k + 8 <= dim; k += 8)
    for (std::size_t lane = 0; lane < 8; ++lane) {
      const double apart = a[k + lane] - b[k + lane];
      partial[lane] += apart * apart;
    }
  double total = 0;
  for (; k < dim; ++k) total += (a[k] - b[k]) * (a[k] - b[k]);
  return std::accumulate(std::begin(partial), std::end(partial), total);
}

double median_distance(const Points& x, const Points& y) {
  check_both(x, y);
  std::vector<double> points, squares;
  append_points(points, x);
  append_points(points, y);
  for (std::size_t i = 0; i < points.size(); i += x.dim)
    for (std::size_t j = 0; j < i; j += x.dim)
      squares.push_back(squared_distance(&points[i], &points[j], x.dim));
  const auto middle = squares.begin() + static_cast<std::ptrdiff_t>((squares.size() - 1) / 2);
  std::nth_element(squares.begin(), middle, squares.end());
  if (*middle == 0)
    throw Error(ErrorKind::bad_input,
                "half of the distances between points are 0: they give no length scale.",
                "Give one: Kernel{.length_scale = ...}.");
  return std::sqrt(*middle);
}

Mmd mmd(const Points& x, const Points& y, const Kernel& kernel) {
  check_both(x, y);
  const Kernel scaled = with_length_scale(x, y, kernel);
  const Kernels sums(x, y, scaled);
  const double n = static_cast<double>(count(x)), m = static_cast<double>(count(y));
  const double xx = sums.of_x().own_total(), yy = sums.of_y().own_total();
  const double xy = std::accumulate(sums.of_x().other.begin(), sums.of_x().other.end(), 0.0);
  return {.squared_unbiased = xx / (n * (n - 1)) + yy / (m * (m - 1)) - 2 * xy / (n * m),
          .squared_biased = std::max((xx + n) / (n * n) + (yy + m) / (m * m) - 2 * xy / (n * m), 0.0),
          .standard_error = std::sqrt(jackknife(sums.of_x(), m) + jackknife(sums.of_y(), n)),
          .length_scale = scaled.length_scale};
}

}  // namespace kullback::stats
