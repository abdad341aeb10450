// An output is a function f of the unconstrained theta. Where it has a heavy tail, that comes from one of two
// places: f grows without limit as theta does (at least doubles in the end where theta is doubled: f is
// linear where a coordinate itself has the tail, exponential where that comes from a constraint), or it has a
// pole (the ratio of two normals). Both are looked for along lines through the farthest draw of the quantity,
// in the directions of other draws from the mean: steps grow from tiny, as a pole is near that draw, to huge.
//
// What is bounded settles: powers of a correlation, probabilities, elements of a correlation matrix reach the
// edge of their range and stay there. A value that settles above 1 / the rounding of numbers is a pole that
// cannot be come nearer to.
#include "fit/reach.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/random.hpp"
#include "infer/algorithm.hpp"
#include "stats/chains.hpp"

namespace kullback::fit {

namespace {

constexpr std::size_t kDirections = 6;
constexpr std::size_t kMostOrigins = 16;
constexpr int kLeastStep = -26, kMostStep = 24;  // powers of 2 of a typical distance
constexpr double kGrows = 1.5;                   // from a far step to the next
constexpr double kPeak = 10, kFalls = 3;         // beyond the farthest draw, and behind the peak
constexpr double kLikeInfinity = 1e12;

// What a line shows of one output, step by step.
class Line final {
 public:
  explicit Line(double origin) : origin_(std::abs(origin)), last_(origin) {}

  void note(double value, bool is_far) {
    if (std::isnan(value)) return;
    const double size = std::abs(value), before = std::abs(last_);
    const bool is_odd_pole = value * last_ < 0 && std::min(size, before) > origin_ / kPeak;
    const bool is_even_pole = before > kPeak * origin_ && size < before / kFalls;
    has_pole_ = has_pole_ || is_odd_pole || is_even_pole || !(size < kLikeInfinity);
    grows_ = is_far && size > kGrows * before;
    far_steps_ += is_far ? 1 : 0;
    last_ = value;
  }

  bool is_unbounded() const { return has_pole_ || grows_; }
  bool was_seen() const { return far_steps_ >= 2; }

 private:
  double origin_;
  double last_;
  bool has_pole_ = false;
  bool grows_ = false;
  int far_steps_ = 0;
};

const double* point_of(const DrawnOutputs& drawn, std::size_t draw) {
  const std::size_t draws = drawn.posterior.draws();
  const infer::Draws& of_chain = drawn.chains[draw / draws].result.draws;
  return of_chain.theta.data() + draw % draws * of_chain.dim;
}

std::vector<std::vector<double>> directions_of(const DrawnOutputs& drawn) {
  const std::size_t dim = drawn.chains.front().result.draws.dim;
  const std::size_t count = drawn.posterior.draws() * drawn.posterior.chains.size();
  std::vector<double> mean(dim);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t d = 0; d < dim; ++d) mean[d] += point_of(drawn, i)[d] / static_cast<double>(count);
  std::vector<std::vector<double>> directions;
  for (std::size_t r = 0; r < std::min(kDirections, count); ++r) {
    std::vector<double>& direction = directions.emplace_back(mean);
    for (std::size_t d = 0; d < dim; ++d)
      direction[d] = point_of(drawn, r * count / kDirections)[d] - mean[d];
  }
  return directions;
}

std::size_t farthest_draw(const std::vector<double>& values) {
  const double median = stats::quantile(values, 0.5);
  const auto farthest = std::max_element(values.begin(), values.end(), [median](double a, double b) {
    return std::abs(a - median) < std::abs(b - median);
  });
  return static_cast<std::size_t>(farthest - values.begin());
}

// Places in `columns` by the draw in which the column is farthest out.
std::map<std::size_t, std::vector<std::size_t>> by_origin(const DrawnOutputs& drawn,
                                                          std::span<const std::size_t> columns) {
  std::map<std::size_t, std::vector<std::size_t>> result;
  for (std::size_t j = 0; j < columns.size(); ++j)
    result[farthest_draw(drawn.posterior.column(columns[j]))].push_back(j);
  return result;
}

// The lines through one draw, for the columns that are farthest out there.
class Origin final {
 public:
  Origin(model::OutputWriter& outputs, std::vector<double> theta, std::uint64_t seed)
      : outputs_(outputs), theta_(std::move(theta)), seed_(seed), row_(outputs.column_names().size()) {}

  // By column.
  std::vector<bool> are_bounded(const std::vector<std::size_t>& columns,
                                const std::vector<std::vector<double>>& directions) {
    std::vector<bool> is_unbounded(columns.size()), was_seen(columns.size());
    for (const std::vector<double>& direction : directions) {
      for (const double side : {-1.0, 1.0}) {
        const std::vector<Line> lines = walk(columns, direction, side);
        for (std::size_t j = 0; j < columns.size(); ++j) {
          is_unbounded[j] = is_unbounded[j] || lines[j].is_unbounded();
          was_seen[j] = was_seen[j] || lines[j].was_seen();
        }
      }
    }
    for (std::size_t j = 0; j < columns.size(); ++j) was_seen[j] = was_seen[j] && !is_unbounded[j];
    return was_seen;
  }

 private:
  std::vector<Line> walk(const std::vector<std::size_t>& columns, const std::vector<double>& direction,
                         double side) {
    evaluate(direction, 0);
    std::vector<Line> lines;
    for (const std::size_t column : columns) lines.emplace_back(row_[column]);
    for (int power = kLeastStep; power <= kMostStep; power += power < 0 ? 2 : 1) {
      evaluate(direction, side * std::ldexp(1.0, power));
      for (std::size_t j = 0; j < columns.size(); ++j) lines[j].note(row_[columns[j]], power > 0);
    }
    return lines;
  }

  void evaluate(const std::vector<double>& direction, double step) {
    std::vector<double> theta = theta_;
    for (std::size_t d = 0; d < theta.size(); ++d) theta[d] += step * direction[d];
    Random random(seed_, 0, static_cast<std::uint32_t>(infer::Purpose::generated_quantities), ~0U);
    outputs_.write(theta.data(), random, row_.data());
  }

  model::OutputWriter& outputs_;
  std::vector<double> theta_;
  std::uint64_t seed_;
  std::vector<double> row_;
};

}  // namespace

std::vector<bool> are_bounded(model::OutputWriter& outputs, const DrawnOutputs& drawn,
                              std::span<const std::size_t> columns, std::uint64_t seed) {
  std::vector<bool> result(columns.size());
  const std::vector<std::vector<double>> directions = directions_of(drawn);
  const std::size_t dim = drawn.chains.front().result.draws.dim;
  std::size_t origins = 0;
  for (const auto& [draw, places] : by_origin(drawn, columns)) {
    if (++origins > kMostOrigins) break;
    const double* theta = point_of(drawn, draw);
    std::vector<std::size_t> here;
    for (const std::size_t place : places) here.push_back(columns[place]);
    const std::vector<bool> is_bounded =
        Origin(outputs, {theta, theta + dim}, seed).are_bounded(here, directions);
    for (std::size_t j = 0; j < places.size(); ++j) result[places[j]] = is_bounded[j];
  }
  return result;
}

}  // namespace kullback::fit
