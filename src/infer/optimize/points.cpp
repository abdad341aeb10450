#include "infer/optimize/points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kullback::infer {

namespace {

constexpr std::size_t kLanes = 64;  // where data are many, threads divide these, too

}  // namespace

std::vector<double> log_densities(density::LogDensity& density, std::span<const double> points,
                                  std::size_t count) {
  const std::size_t dim = density.dim();
  std::vector<double> result(count);
  std::vector<double> theta(dim * kLanes);
  std::vector<density::Status> status(kLanes);
  for (std::size_t first = 0; first < count; first += kLanes) {
    const std::size_t lanes = std::min(kLanes, count - first);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      for (std::size_t i = 0; i < dim; ++i) theta[i * lanes + lane] = points[(first + lane) * dim + i];
    }
    density.evaluate({lanes, theta.data(), result.data() + first, nullptr, status.data()});
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      double& value = result[first + lane];
      if (status[lane] != density::Status::ok || std::isnan(value))
        value = -std::numeric_limits<double>::infinity();
    }
  }
  return result;
}

}  // namespace kullback::infer
