#include "conjugate/mixture/kmeans.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/random.hpp"
#include "base/stop.hpp"
#include "conjugate/mixture/kernels.hpp"

namespace kullback::conjugate::mixture {

namespace {

constexpr std::size_t kMostPoints = 20000;
constexpr int kMostIterations = 50;
constexpr double kFewMoves = 1e-3;  // Lloyd ends where fewer change their cluster

// Points with units innermost, and their distances from centres.
class Cloud final {
 public:
  Cloud(std::span<const double> points, std::size_t dimensions)
      : count_(points.size() / dimensions),
        dimensions_(dimensions),
        stride_(round_up(std::max<std::size_t>(count_, 1), kUnitBlock)),
        columns_(stride_ * dimensions, 0.0),
        ones_(dimensions, 1.0) {
    for (std::size_t n = 0; n < count_; ++n) {
      for (std::size_t d = 0; d < dimensions; ++d) columns_[d * stride_ + n] = points[n * dimensions + d];
    }
  }

  std::size_t count() const { return count_; }
  std::size_t stride() const { return stride_; }
  void point(std::size_t n, double* into) const {
    for (std::size_t d = 0; d < dimensions_; ++d) into[d] = columns_[d * stride_ + n];
  }
  // Room for stride() squares.
  void squares_from(const double* centre, double* squares) const {
    stop_if_asked();
    scaled_squares({columns_.data(), stride_, dimensions_}, centre, ones_.data(), squares);
  }
  const double* column(std::size_t d) const { return columns_.data() + d * stride_; }

 private:
  std::size_t count_;
  std::size_t dimensions_;
  std::size_t stride_;
  std::vector<double> columns_;
  std::vector<double> ones_;
};

// A point with probability proportional to its square; any where all are 0.
std::size_t draw(std::span<const double> squares, Random& random) {
  const double all = std::accumulate(squares.begin(), squares.end(), 0.0);
  if (!(all > 0)) return static_cast<std::size_t>(random.below(squares.size()));
  double left = random.uniform() * all;
  for (std::size_t n = 0; n < squares.size(); ++n) {
    left -= squares[n];
    if (left <= 0) return n;
  }
  return squares.size() - 1;
}

std::vector<double> first_centres(const Cloud& cloud, std::size_t dimensions, std::size_t clusters,
                                  Random& random) {
  std::vector<double> centres(clusters * dimensions);
  std::vector<double> nearest(cloud.stride()), candidate(cloud.stride()), best(cloud.stride());
  const std::size_t trials = 2 + static_cast<std::size_t>(std::log(static_cast<double>(clusters)));
  cloud.point(static_cast<std::size_t>(random.below(cloud.count())), centres.data());
  cloud.squares_from(centres.data(), nearest.data());
  for (std::size_t k = 1; k < clusters; ++k) {
    double least = std::numeric_limits<double>::infinity();
    std::vector<double> centre(dimensions);
    for (std::size_t trial = 0; trial < trials; ++trial) {
      cloud.point(draw(std::span(nearest).first(cloud.count()), random), centre.data());
      cloud.squares_from(centre.data(), candidate.data());
      double sum = 0;
      for (std::size_t n = 0; n < cloud.count(); ++n) {
        candidate[n] = std::min(candidate[n], nearest[n]);
        sum += candidate[n];
      }
      if (sum < least) {
        least = sum;
        std::swap(best, candidate);
        std::copy(centre.begin(), centre.end(),
                  centres.begin() + static_cast<std::ptrdiff_t>(k * dimensions));
      }
    }
    std::swap(nearest, best);
  }
  return centres;
}

// Returns how many labels changed.
std::size_t assign(const Cloud& cloud, std::span<const double> centres, std::size_t dimensions,
                   std::vector<std::uint32_t>& labels) {
  std::vector<double> nearest(cloud.stride(), std::numeric_limits<double>::infinity());
  std::vector<double> squares(cloud.stride());
  std::vector<std::uint32_t> found(cloud.count(), 0);
  for (std::size_t k = 0; k * dimensions < centres.size(); ++k) {
    cloud.squares_from(centres.data() + k * dimensions, squares.data());
    for (std::size_t n = 0; n < cloud.count(); ++n) {
      if (squares[n] < nearest[n]) {
        nearest[n] = squares[n];
        found[n] = static_cast<std::uint32_t>(k);
      }
    }
  }
  std::size_t moves = 0;
  for (std::size_t n = 0; n < cloud.count(); ++n) moves += found[n] != labels[n] ? 1 : 0;
  labels = std::move(found);
  return moves;
}

// A cluster without points keeps its centre.
void move_centres(const Cloud& cloud, std::span<const std::uint32_t> labels, std::size_t dimensions,
                  std::vector<double>& centres) {
  const std::size_t clusters = centres.size() / dimensions;
  std::vector<double> sizes(clusters, 0.0);
  for (const std::uint32_t label : labels) sizes[label] += 1;
  std::vector<double> sums(clusters);
  for (std::size_t d = 0; d < dimensions; ++d) {
    std::fill(sums.begin(), sums.end(), 0.0);
    const double* x = cloud.column(d);
    for (std::size_t n = 0; n < cloud.count(); ++n) sums[labels[n]] += x[n];
    for (std::size_t k = 0; k < clusters; ++k) {
      if (sizes[k] > 0) centres[k * dimensions + d] = sums[k] / sizes[k];
    }
  }
}

std::vector<double> some_points(std::span<const double> points, std::size_t dimensions, Random& random) {
  const std::size_t count = points.size() / dimensions;
  if (count <= kMostPoints) return {points.begin(), points.end()};
  std::vector<double> result;
  result.reserve(kMostPoints * dimensions);
  for (std::size_t i = 0; i < kMostPoints; ++i) {
    const auto n = static_cast<std::size_t>(random.below(count));
    result.insert(result.end(), points.begin() + static_cast<std::ptrdiff_t>(n * dimensions),
                  points.begin() + static_cast<std::ptrdiff_t>((n + 1) * dimensions));
  }
  return result;
}

void order_by_size(std::size_t clusters, std::vector<std::uint32_t>& labels) {
  std::vector<std::size_t> sizes(clusters, 0);
  for (const std::uint32_t label : labels) ++sizes[label];
  std::vector<std::uint32_t> order(clusters);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return sizes[a] > sizes[b]; });
  std::vector<std::uint32_t> place(clusters);
  for (std::uint32_t k = 0; k < clusters; ++k) place[order[k]] = k;
  for (std::uint32_t& label : labels) label = place[label];
}

}  // namespace

std::vector<std::uint32_t> cluster(std::span<const double> points, std::size_t dimensions,
                                   std::size_t clusters, Random& random) {
  const Cloud some(some_points(points, dimensions, random), dimensions);
  std::vector<double> centres = first_centres(some, dimensions, clusters, random);
  std::vector<std::uint32_t> labels(some.count(), std::numeric_limits<std::uint32_t>::max());
  for (int iteration = 0; iteration < kMostIterations; ++iteration) {
    const std::size_t moves = assign(some, centres, dimensions, labels);
    move_centres(some, labels, dimensions, centres);
    if (static_cast<double>(moves) <= kFewMoves * static_cast<double>(some.count())) break;
  }
  labels.clear();
  for (std::size_t begin = 0; begin < points.size(); begin += kMostPoints * dimensions) {
    const std::size_t size = std::min(kMostPoints * dimensions, points.size() - begin);
    const Cloud part(points.subspan(begin, size), dimensions);
    std::vector<std::uint32_t> found(part.count(), 0);
    assign(part, centres, dimensions, found);
    labels.insert(labels.end(), found.begin(), found.end());
  }
  order_by_size(clusters, labels);
  return labels;
}

}  // namespace kullback::conjugate::mixture
