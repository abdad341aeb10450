// Let g(s) be the density along a line through a draw, at s times its direction. Where g(s) does not fall
// faster than 1 / s, its integral is infinite, and so is that of the posterior, as g is continuous in the
// other coordinates. g is looked at in two places far out: log g(b) >= log g(a) - log(b / a).
//
// The lines are those along each coordinate of a parameter without a prior. Each of these may pass by itself
// and the posterior be improper along a combination of several, such as a - b where only a + b meets the
// data. Along such a direction d the log density is constant: d is orthogonal to its gradient everywhere. So
// lines along the directions of these coordinates that are orthogonal to the gradients at many draws are
// looked at, too. Directions along which the density changes and yet does not fall are not found.
#include "fit/propriety.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "math/linear_algebra.hpp"

namespace kullback::fit {

namespace {

constexpr std::size_t kPoints = 2;            // draws through which g is looked at
constexpr std::size_t kMostCoordinates = 16;  // of each parameter
constexpr std::size_t kMostTogether = 32;     // of all parameters
constexpr std::size_t kGradients = 2;         // for each of these
constexpr std::size_t kMostCombinations = 4;
constexpr double kNothing = 1e5;                          // nats below the draw
constexpr double kRealNear = 1e4, kRealFar = 1e8;         // of a coordinate that is the parameter itself
constexpr double kPositiveNear = 50, kPositiveFar = 500;  // of its logarithm
constexpr double kFlat = 1e-10;                           // of a singular value, over the largest
constexpr double kTakesPart = 1e-3;                       // of a component of a direction

struct Line {
  std::vector<double> from;
  std::vector<double> direction;
  double near = kRealNear;
  double far = kRealFar;
};

class Prober final {
 public:
  Prober(density::LogDensity& density, const infer::Draws& draws) : density_(density), draws_(draws) {}

  bool can_go(std::size_t coordinate) const {
    const auto kind = density_.supports()[coordinate].kind;
    return kind == density::Support::Kind::real || kind == density::Support::Kind::positive;
  }

  bool is_improper_along(std::size_t coordinate) const {
    if (!can_go(coordinate)) return false;
    std::vector<double> direction(density_.dim());
    direction[coordinate] = 1;
    return is_improper_along(direction);
  }

  // The others at a draw, what the direction goes along from 0.
  bool is_improper_along(const std::vector<double>& direction) const {
    const std::size_t points = std::min(kPoints, draws_.count());
    for (std::size_t p = 0; p < points; ++p) {
      const std::vector<double> draw = draw_at((draws_.count() - 1) * p / kPoints);
      if (!falls_too_slowly(line_through(draw, direction), log_density_at(draw))) return false;
    }
    return points > 0;
  }

  // Unit vectors of the given coordinates that are orthogonal to the gradient at each of many draws.
  std::vector<std::vector<double>> flat_directions(const std::vector<std::size_t>& coordinates) const;

 private:
  std::vector<double> draw_at(std::size_t i) const {
    const auto first = draws_.theta.begin() + static_cast<std::ptrdiff_t>(i * draws_.dim);
    return {first, first + static_cast<std::ptrdiff_t>(draws_.dim)};
  }

  Line line_through(std::vector<double> draw, const std::vector<double>& direction) const {
    Line line{std::move(draw), direction};
    for (std::size_t i = 0; i < direction.size(); ++i) {
      if (direction[i] == 1) line.from[i] = 0;
      if (std::abs(direction[i]) > kTakesPart &&
          density_.supports()[i].kind == density::Support::Kind::positive)
        line.near = kPositiveNear, line.far = kPositiveFar;
    }
    return line;
  }

  // log p, or -inf.
  double log_density_at(const std::vector<double>& theta) const {
    double value = 0;
    density::Status status = density::Status::ok;
    density_.evaluate({1, theta.data(), &value, nullptr, &status});
    return status == density::Status::ok ? value : -INFINITY;
  }
  double log_density_at(const Line& line, double s) const {
    std::vector<double> theta = line.from;
    for (std::size_t i = 0; i < theta.size(); ++i) theta[i] += s * line.direction[i];
    return log_density_at(theta);
  }

  // Where the density is next to nothing far out, a second look is not needed.
  bool falls_too_slowly(const Line& line, double at_draw) const {
    for (const double side : {-1.0, 1.0}) {
      const double at_far = log_density_at(line, side * line.far);
      if (!std::isfinite(at_far) || at_far < at_draw - kNothing) continue;
      const double at_near = log_density_at(line, side * line.near);
      if (std::isfinite(at_near) && at_far >= at_near - std::log(line.far / line.near)) return true;
    }
    return false;
  }

  density::LogDensity& density_;
  const infer::Draws& draws_;
};

std::vector<std::vector<double>> Prober::flat_directions(const std::vector<std::size_t>& coordinates) const {
  const std::size_t dim = density_.dim(), count = coordinates.size(), points = kGradients * count;
  if (draws_.count() < points) return {};
  std::vector<double> theta(dim * points), gradients(dim * points), log_p(points);
  std::vector<density::Status> status(points);
  for (std::size_t p = 0; p < points; ++p) {
    const std::vector<double> draw = draw_at(draws_.count() * p / points);
    for (std::size_t i = 0; i < dim; ++i) theta[i * points + p] = draw[i];
  }
  density_.evaluate({points, theta.data(), log_p.data(), gradients.data(), status.data()});
  if (!std::all_of(status.begin(), status.end(), [](density::Status s) { return s == density::Status::ok; }))
    return {};
  std::vector<double> slopes(points * count);  // column after column
  for (std::size_t c = 0; c < count; ++c)
    std::copy_n(gradients.data() + coordinates[c] * points, points, slopes.data() + c * points);
  if (!std::all_of(slopes.begin(), slopes.end(), [](double slope) { return std::isfinite(slope); }))
    return {};
  std::vector<double> left(points * count), values(count), right(count * count);
  math::linear::svd(math::linear::ConstView(slopes.data(), points, count), {left.data(), points, count},
                    {values.data(), count, 1}, {right.data(), count, count});
  std::vector<std::vector<double>> found;
  for (std::size_t v = count; v-- > 0 && values[v] <= kFlat * values[0];) {
    if (found.size() == kMostCombinations) break;
    std::vector<double>& direction = found.emplace_back(dim);
    for (std::size_t c = 0; c < count; ++c) direction[coordinates[c]] = right[v * count + c];
  }
  return found;
}

ImproperWay combination(const std::vector<double>& direction, const std::vector<density::Block>& blocks) {
  ImproperWay way;
  for (const density::Block& block : blocks) {
    const auto takes_part = [](double part) { return std::abs(part) > kTakesPart; };
    const auto first = direction.begin() + static_cast<std::ptrdiff_t>(block.first);
    if (std::any_of(first, first + static_cast<std::ptrdiff_t>(block.size), takes_part))
      way.parameters.push_back(block.name);
  }
  way.name = way.parameters.size() == 1 ? fmt::format("a combination of elements of {}", way.parameters[0])
                                        : fmt::format("a combination of {}", fmt::join(way.parameters, ", "));
  return way;
}

}  // namespace

std::vector<ImproperWay> improper_ways(const std::vector<std::string>& names, density::LogDensity& density,
                                       const infer::Draws& draws) {
  std::vector<ImproperWay> found;
  if (density.supports().size() != density.dim() || draws.dim != density.dim() || draws.count() == 0)
    return found;
  const Prober prober(density, draws);
  std::vector<density::Block> blocks;
  std::vector<std::size_t> together;
  for (const density::Block& block : density.blocks()) {
    if (std::find(names.begin(), names.end(), block.name) == names.end()) continue;
    blocks.push_back(block);
    const std::size_t end = block.first + std::min(block.size, kMostCoordinates);
    bool is_improper = false;
    for (std::size_t i = block.first; i < end && !is_improper; ++i) {
      is_improper = prober.is_improper_along(i);
      if (prober.can_go(i)) together.push_back(i);
    }
    if (is_improper) found.push_back({block.name, {block.name}});
  }
  if (!found.empty() || together.size() < 2 || together.size() > kMostTogether) return found;
  for (const std::vector<double>& direction : prober.flat_directions(together)) {
    if (!prober.is_improper_along(direction)) continue;
    ImproperWay way = combination(direction, blocks);
    if (found.empty() || found.back().name != way.name) found.push_back(std::move(way));
  }
  return found;
}

}  // namespace kullback::fit
