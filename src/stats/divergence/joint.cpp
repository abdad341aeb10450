// Each statistic is a function of which of the pooled points are in x. It is evaluated for what they are and
// for random choices, kLanes of them at once. With a_i = 1 for the n points in x and 0 for the m in y:
//   MMD       S_xx = a' K a, S_xy = a' K 1 - S_xx, S_yy = 1' K 1 - 2 S_xy - S_xx, less the diagonals
//   sliced    along a direction, the area under |F - G|: sums of a / n - (1 - a) / m over the ordered points
//   Gaussian  the sums of z and z z' over x; those over y are what is left of the totals
// KL is the same in all coordinates, so that the z are those in which the pooled covariance is 1: coordinates
// that depend on others linearly, as of a simplex, drop out.
#include "stats/divergence/joint.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "base/random.hpp"
#include "math/linear_algebra.hpp"
#include "stats/divergence/families.hpp"
#include "stats/divergence/pairs.hpp"
#include "stats/sums.hpp"

namespace kullback::stats {
namespace {

constexpr std::size_t kLanes = 8;
constexpr double kNoiseLevel = 0.95;
constexpr double kSingular = 1e-10;  // of the largest variance: along such a direction points do not vary
using Lanes = std::array<double, kLanes>;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

struct Pooled {
  std::vector<double> values;
  std::size_t dim = 0;
  std::size_t n = 0, m = 0;  // points of x, which come first, and of y
  std::size_t count() const { return n + m; }
  const double* point(std::size_t i) const { return values.data() + i * dim; }
};

Pooled pooled_of(const Points& x, const Points& y) {
  Pooled pooled{std::vector<double>(x.values.begin(), x.values.end()), x.dim, x.values.size() / x.dim,
                y.values.size() / y.dim};
  pooled.values.insert(pooled.values.end(), y.values.begin(), y.values.end());
  return pooled;
}

// Point after point, for kLanes choices: 1 where the point is in x. The first choice is what the points are.
using Choices = std::vector<Lanes>;

std::vector<Choices> choices_of(const Pooled& pooled, const JointOptions& options) {
  std::vector<double> is_first(pooled.count(), 0.0);
  std::fill_n(is_first.begin(), pooled.n, 1.0);
  std::vector<Choices> batches;
  for (std::size_t r = 0; r <= options.permutations; ++r) {
    if (r % kLanes == 0) batches.emplace_back(pooled.count(), Lanes{});
    Random random(options.seed, 0, 1, static_cast<std::uint32_t>(r));
    std::vector<double> chosen = is_first;
    for (std::size_t left = r == 0 ? 0 : chosen.size(); left > 1; --left)
      std::swap(chosen[left - 1], chosen[static_cast<std::size_t>(random.below(left))]);
    for (std::size_t i = 0; i < chosen.size(); ++i) batches.back()[i][r % kLanes] = chosen[i];
  }
  return batches;
}

// The statistic of each choice, and what the first is among the others.
template <class Statistic>
TestedDistance tested(const std::vector<Choices>& batches, std::size_t permutations,
                      const Statistic& statistic) {
  std::vector<double> values;
  for (const Choices& choices : batches) {
    const Lanes of = statistic(choices);
    values.insert(values.end(), of.begin(), of.end());
  }
  const double value = values[0];
  std::vector<double> others(values.begin() + 1,
                             values.begin() + 1 + static_cast<std::ptrdiff_t>(permutations));
  const auto beyond = std::count_if(others.begin(), others.end(), [value](double of) { return of >= value; });
  const auto place =
      others.begin() + static_cast<std::ptrdiff_t>(kNoiseLevel * static_cast<double>(others.size()));
  std::nth_element(others.begin(), place, others.end());
  return {value, *place, static_cast<double>(1 + beyond) / static_cast<double>(1 + permutations)};
}

class KernelMatrix final {
 public:
  explicit KernelMatrix(const Pooled& pooled, const RadialKernel& kernel)
      : n_(static_cast<double>(pooled.n)),
        m_(static_cast<double>(pooled.m)),
        size_(pooled.count()),
        values_(size_ * size_),
        rows_(size_) {
    for (std::size_t i = 0; i < size_; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        const double square = squared_distance(pooled.point(i), pooled.point(j), pooled.dim);
        values_[i * size_ + j] = values_[j * size_ + i] = derivatives(kernel, square).value;
      }
    for (std::size_t i = 0; i < size_; ++i) rows_[i] = sum({&values_[i * size_], size_});
    total_ = sum(rows_);
  }

  Lanes operator()(const Choices& in_x) const {
    Lanes xx{}, of_x{}, squared{};
    for (std::size_t i = 0; i < size_; ++i) {
      const double* row = &values_[i * size_];
      Lanes with_x{};
      for (std::size_t j = 0; j < size_; ++j)
        for (std::size_t lane = 0; lane < kLanes; ++lane) with_x[lane] += row[j] * in_x[j][lane];
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        xx[lane] += in_x[i][lane] * with_x[lane];
        of_x[lane] += in_x[i][lane] * rows_[i];
      }
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double xy = of_x[lane] - xx[lane], yy = total_ - 2 * xy - xx[lane];
      squared[lane] = (xx[lane] - n_) / (n_ * (n_ - 1)) + (yy - m_) / (m_ * (m_ - 1)) - 2 * xy / (n_ * m_);
    }
    return squared;
  }

 private:
  double n_, m_;
  std::size_t size_;
  std::vector<double> values_;
  std::vector<double> rows_;
  double total_ = 0;
};

class Slices final {
 public:
  Slices(const Pooled& pooled, const JointOptions& options)
      : in_x_(1 / static_cast<double>(pooled.n)), in_y_(1 / static_cast<double>(pooled.m)) {
    for (std::size_t k = 0; k < options.projections; ++k) {
      const auto direction = random_direction(pooled.dim, options.seed, static_cast<std::uint32_t>(k));
      slices_.push_back(slice(pooled, direction));
    }
  }

  Lanes operator()(const Choices& in_x) const {
    Lanes total{};
    for (const Slice& slice : slices_) add_area(slice, in_x, total);
    for (double& of : total) of /= static_cast<double>(slices_.size());
    return total;
  }

 private:
  // The points in their order along a direction, and how far the next one is.
  struct Slice {
    std::vector<std::size_t> order;
    std::vector<double> width;
  };

  static Slice slice(const Pooled& pooled, std::span<const double> direction) {
    std::vector<double> along;
    for (std::size_t i = 0; i < pooled.count(); ++i)
      along.push_back(dot(pooled.point(i), direction.data(), pooled.dim));
    Slice result{std::vector<std::size_t>(along.size()), std::vector<double>(along.size(), 0.0)};
    std::iota(result.order.begin(), result.order.end(), std::size_t{0});
    std::sort(result.order.begin(), result.order.end(),
              [&](std::size_t a, std::size_t b) { return along[a] < along[b]; });
    for (std::size_t i = 0; i + 1 < along.size(); ++i)
      result.width[i] = along[result.order[i + 1]] - along[result.order[i]];
    return result;
  }

  void add_area(const Slice& slice, const Choices& in_x, Lanes& total) const {
    Lanes difference{};  // F - G
    for (std::size_t i = 0; i < slice.order.size(); ++i) {
      const Lanes& is_in_x = in_x[slice.order[i]];
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        difference[lane] += is_in_x[lane] * (in_x_ + in_y_) - in_y_;
        total[lane] += std::abs(difference[lane]) * slice.width[i];
      }
    }
  }

  double in_x_, in_y_;
  std::vector<Slice> slices_;
};

class Moments final {
 public:
  explicit Moments(const Pooled& pooled) : n_(pooled.n), m_(pooled.m), points_(white(pooled)) {
    total_ = points_.transpose() * points_;
  }

  Lanes operator()(const Choices& in_x) const {
    Lanes result{};
    for (std::size_t lane = 0; lane < kLanes; ++lane) result[lane] = divergence(in_x, lane);
    return result;
  }

 private:
  // Coordinates of mean 0 and covariance 1, a row for each point.
  static Matrix white(const Pooled& pooled) {
    const auto rows = static_cast<Eigen::Index>(pooled.count()), dim = static_cast<Eigen::Index>(pooled.dim);
    Matrix points = Eigen::Map<const Matrix>(pooled.values.data(), rows, dim);
    points.rowwise() -= points.colwise().mean().eval();
    const Matrix covariance = points.transpose() * points / static_cast<double>(rows);
    Vector values(dim);
    Matrix vectors(dim, dim);
    math::linear::symmetric_eigen(covariance, values, vectors);
    const Eigen::Index kept = (values.array() > kSingular * values.maxCoeff()).count();  // the last ones
    const Vector scales = values.tail(kept).cwiseSqrt().cwiseInverse();
    return points * vectors.rightCols(kept) * scales.asDiagonal();
  }

  static Gaussian gaussian(const Vector& sums, const Matrix& squares, std::size_t count) {
    const auto n = static_cast<double>(count);
    const Vector mean = sums / n;
    const Matrix covariance = (squares - n * mean * mean.transpose()) / (n - 1);
    return {.mean = {mean.begin(), mean.end()},
            .covariance = {covariance.data(), covariance.data() + covariance.size()}};
  }

  static bool is_positive(const Gaussian& of) {
    const auto dim = static_cast<Eigen::Index>(of.mean.size());
    Matrix lower(dim, dim);
    return math::linear::cholesky(Eigen::Map<const Matrix>(of.covariance.data(), dim, dim), lower);
  }

  double divergence(const Choices& in_x, std::size_t lane) const {
    const Eigen::Index dim = points_.cols();
    Matrix chosen(static_cast<Eigen::Index>(n_), dim);
    Eigen::Index next = 0;
    for (Eigen::Index i = 0; i < points_.rows() && next < chosen.rows(); ++i)
      if (in_x[static_cast<std::size_t>(i)][lane] != 0) chosen.row(next++) = points_.row(i);
    const Vector sums = chosen.colwise().sum().transpose();
    const Matrix squares = chosen.transpose() * chosen;
    const Gaussian x = gaussian(sums, squares, n_), y = gaussian(-sums, total_ - squares, m_);
    if (!is_positive(x) || !is_positive(y)) return std::numeric_limits<double>::infinity();
    return kl_divergence(x, y);
  }

  std::size_t n_, m_;
  Matrix points_;
  Matrix total_;
};

}  // namespace

JointDistances joint_distances(const Points& x, const Points& y, const JointOptions& options) {
  const RadialKernel kernel{RadialKernel::Kind::rbf, median_distance(x, y)};
  const Pooled pooled = pooled_of(x, y);
  const std::vector<Choices> batches = choices_of(pooled, options);
  JointDistances result{.mmd_squared = tested(batches, options.permutations, KernelMatrix(pooled, kernel)),
                        .sliced_wasserstein = tested(batches, options.permutations, Slices(pooled, options)),
                        .gaussian_kl = {}};
  if (pooled.dim <= kMostGaussian && std::min(pooled.n, pooled.m) >= 2 * pooled.dim)
    result.gaussian_kl = tested(batches, options.permutations, Moments(pooled));
  return result;
}

}  // namespace kullback::stats
