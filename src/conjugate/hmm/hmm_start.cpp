// Where the states of numeric rows begin: k-means++ (Arthur, Vassilvitskii 2007) and Lloyd's algorithm on at
// most 20,000 rows, then all rows go to the nearest centre.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.hpp"
#include "conjugate/hmm/hmm_emissions.hpp"

namespace kullback::conjugate::hmm {

namespace {

constexpr std::size_t kMostRows = 20000;
constexpr int kRounds = 10;

struct Points {
  std::size_t count = 0;
  std::size_t columns = 0;
  std::vector<double> cells;
  const double* at(std::size_t point) const { return cells.data() + point * columns; }
};

Points standardized(const Batch& sample, double (*transform)(double)) {
  const std::span<const double> raw = cells_of(sample);
  Points points{.count = sample.rows(), .columns = sample.columns, .cells = {raw.begin(), raw.end()}};
  for (std::size_t c = 0; c < points.columns; ++c) {
    double count = 0, mean = 0, squares = 0;
    for (std::size_t i = c; i < points.cells.size(); i += points.columns) {
      double& x = points.cells[i];
      if (std::isnan(x)) continue;
      x = transform(x);
      const double difference = x - mean;
      mean += difference / ++count;
      squares += difference * (x - mean);
    }
    const double scale = squares > 0 ? std::sqrt(count / squares) : 0.0;
    for (std::size_t i = c; i < points.cells.size(); i += points.columns) {
      double& x = points.cells[i];
      x = std::isnan(x) ? 0.0 : (x - mean) * scale;
    }
  }
  return points;
}

Points some_of(const Points& all, Random& random) {
  if (all.count <= kMostRows) return all;
  Points some{.count = kMostRows, .columns = all.columns, .cells = {}};
  for (std::size_t i = 0; i < kMostRows; ++i) {
    const double* point = all.at(random.below(all.count));
    some.cells.insert(some.cells.end(), point, point + all.columns);
  }
  return some;
}

double squared_distance(const double* a, const double* b, std::size_t columns) {
  double sum = 0;
  for (std::size_t c = 0; c < columns; ++c) sum += (a[c] - b[c]) * (a[c] - b[c]);
  return sum;
}

// Each further centre is a point chosen with probability proportional to its squared distance from the
// centres so far; any point where all distances are 0.
std::vector<double> first_centres(const Points& points, std::size_t clusters, Random& random) {
  std::vector<double> centres;
  std::vector<double> distances(points.count, std::numeric_limits<double>::infinity());
  std::size_t chosen = random.below(points.count);
  for (std::size_t k = 0;; ++k) {
    centres.insert(centres.end(), points.at(chosen), points.at(chosen) + points.columns);
    if (k + 1 == clusters) return centres;
    double total = 0;
    for (std::size_t i = 0; i < points.count; ++i) {
      distances[i] =
          std::min(distances[i], squared_distance(points.at(i), points.at(chosen), points.columns));
      total += distances[i];
    }
    double left = random.uniform() * total;
    chosen = random.below(points.count);
    for (std::size_t i = 0; total > 0 && i < points.count; ++i) {
      left -= distances[i];
      if (distances[i] > 0) chosen = i;
      if (left <= 0) break;
    }
  }
}

std::uint32_t nearest(const double* point, const std::vector<double>& centres, std::size_t columns) {
  std::uint32_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k * columns < centres.size(); ++k) {
    const double distance = squared_distance(point, centres.data() + k * columns, columns);
    if (distance < least) {
      least = distance;
      best = static_cast<std::uint32_t>(k);
    }
  }
  return best;
}

// A centre without points stays.
void move_centres(const Points& points, std::vector<double>& centres) {
  std::vector<double> sums(centres.size());
  std::vector<double> counts(centres.size() / points.columns);
  for (std::size_t i = 0; i < points.count; ++i) {
    const std::size_t k = nearest(points.at(i), centres, points.columns);
    counts[k] += 1;
    for (std::size_t c = 0; c < points.columns; ++c) sums[k * points.columns + c] += points.at(i)[c];
  }
  for (std::size_t j = 0; j < centres.size(); ++j) {
    const double count = counts[j / points.columns];
    if (count > 0) centres[j] = sums[j] / count;
  }
}

}  // namespace

std::vector<std::uint32_t> cluster_rows(const Batch& sample, std::size_t clusters, Random& random,
                                        double (*transform)(double)) {
  const Points points = standardized(sample, transform);
  const Points some = some_of(points, random);
  std::vector<double> centres = first_centres(some, clusters, random);
  for (int round = 0; round < kRounds; ++round) move_centres(some, centres);
  std::vector<std::uint32_t> result(points.count);
  for (std::size_t i = 0; i < points.count; ++i) result[i] = nearest(points.at(i), centres, points.columns);
  return result;
}

void accumulate_clusters(const Emissions& emissions, const Batch& sample,
                         std::span<const std::uint32_t> clusters, std::size_t stride,
                         std::span<double> statistics) {
  constexpr std::size_t kRows = 4096;
  const double* cells = cells_of(sample).data();
  std::vector<double> probabilities;
  for (std::size_t begin = 0; begin < clusters.size(); begin += kRows) {
    const std::size_t count = std::min(kRows, clusters.size() - begin);
    probabilities.assign(count * stride, 0.0);
    for (std::size_t i = 0; i < count; ++i) probabilities[i * stride + clusters[begin + i]] = 1.0;
    emissions.accumulate(cells + begin * sample.columns, count, probabilities.data(), statistics.data());
  }
}

}  // namespace kullback::conjugate::hmm
