// The original is evaluated until it has a tape, which its clones share: then all of them give the same bits.
// A clone is taken by one thread at a time and kept for the next (capi/spares.hpp). Of one point the caller's
// memory is what the engine reads and writes; blocks of several are turned to lanes innermost and back.
#include "capi/shared_density.hpp"

#include <algorithm>
#include <limits>

namespace kullback::capi {

using density::Status;

namespace {

constexpr std::size_t kMostLanes = 64;
constexpr std::size_t kMostNumbers = std::size_t{1} << 17;  // of a block: 1 MB

// x - x is 0, or NaN where x is not finite; four sums at a time, as each waits for its last addition.
bool all_finite(const double* x, std::size_t n) {
  double zero[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    for (std::size_t j = 0; j < 4; ++j) zero[j] += x[i + j] - x[i + j];
  }
  for (; i < n; ++i) zero[0] += x[i] - x[i];
  return zero[0] + zero[1] + zero[2] + zero[3] == 0;
}

// `rows` rows of `columns` numbers to columns after rows, by tiles that stay in the nearest cache.
void transpose(std::size_t rows, std::size_t columns, const double* from, double* to) {
  constexpr std::size_t kTile = 8;
  for (std::size_t r0 = 0; r0 < rows; r0 += kTile) {
    const std::size_t r_end = std::min(rows, r0 + kTile);
    for (std::size_t c = 0; c < columns; ++c) {
      for (std::size_t r = r0; r < r_end; ++r) to[c * rows + r] = from[r * columns + c];
    }
  }
}

void settle(const Points& points, std::size_t point, std::size_t dim, bool is_ok) {
  if (points.status != nullptr) points.status[point] = is_ok ? KB_OK : KB_NOT_FINITE;
  if (is_ok) return;
  points.log_density[point] = -std::numeric_limits<double>::infinity();
  if (points.gradient != nullptr)
    std::fill_n(points.gradient + point * dim, dim, std::numeric_limits<double>::quiet_NaN());
}

std::size_t lanes_of(const model::StanModel& model) {
  if (model.lanes_together() == 1) return 1;
  return std::clamp<std::size_t>(kMostNumbers / std::max<std::size_t>(1, model.dim()), 1, kMostLanes);
}

}  // namespace

SharedDensity::SharedDensity(std::unique_ptr<model::StanModel> original)
    : dim_(original->dim()), original_(std::move(original)) {}

void SharedDensity::trace_at(const double* theta, std::size_t points) {
  for (std::size_t p = 0; p < points && original_->tape() == nullptr; ++p) {
    if (!all_finite(theta + p * dim_, dim_)) continue;
    double value = 0;
    Status status = Status::ok;
    original_->evaluate({1, theta + p * dim_, &value, nullptr, &status});
  }
}

std::unique_ptr<SharedDensity::Evaluator> SharedDensity::take(const double* theta, std::size_t points) {
  if (std::unique_ptr<Evaluator> spare = spares_.take()) return spare;
  const std::lock_guard lock(mutex_);
  trace_at(theta, points);
  auto made = std::make_unique<Evaluator>();
  made->density.reset(static_cast<model::StanModel*>(original_->clone().release()));
  made->lanes = lanes_of(*original_);
  return made;
}

// One without a tape met nothing but points that the program rejects: the next may trace the original.
void SharedDensity::give_back(std::unique_ptr<Evaluator> evaluator) {
  if (evaluator->density->tape() != nullptr) spares_.give_back(std::move(evaluator));
}

void SharedDensity::evaluate_one(density::LogDensity& density, const Points& points,
                                 std::size_t point) const {
  const double* theta = points.theta + point * dim_;
  Status status = Status::not_finite;
  if (all_finite(theta, dim_)) {
    double* gradient = points.gradient != nullptr ? points.gradient + point * dim_ : nullptr;
    density.evaluate({1, theta, points.log_density + point, gradient, &status});
  }
  settle(points, point, dim_, status == Status::ok);
}

void SharedDensity::evaluate_block(Evaluator& evaluator, const Points& points, std::size_t first,
                                   std::size_t lanes) const {
  const double* theta = points.theta + first * dim_;
  if (!all_finite(theta, lanes * dim_)) {
    for (std::size_t k = 0; k < lanes; ++k) evaluate_one(*evaluator.density, points, first + k);
    return;
  }
  const std::size_t numbers = dim_ * evaluator.lanes;
  if (evaluator.theta.size() < numbers) evaluator.theta.resize(numbers);
  if (points.gradient != nullptr && evaluator.gradient.size() < numbers) evaluator.gradient.resize(numbers);
  evaluator.status.resize(evaluator.lanes);
  transpose(lanes, dim_, theta, evaluator.theta.data());
  double* gradient = points.gradient != nullptr ? evaluator.gradient.data() : nullptr;
  evaluator.density->evaluate(
      {lanes, evaluator.theta.data(), points.log_density + first, gradient, evaluator.status.data()});
  if (gradient != nullptr) transpose(dim_, lanes, gradient, points.gradient + first * dim_);
  for (std::size_t k = 0; k < lanes; ++k) settle(points, first + k, dim_, evaluator.status[k] == Status::ok);
}

void SharedDensity::evaluate(const Points& points) {
  std::unique_ptr<Evaluator> evaluator = take(points.theta, points.count);
  if (points.count == 1 || evaluator->lanes == 1) {
    for (std::size_t p = 0; p < points.count; ++p) evaluate_one(*evaluator->density, points, p);
  } else {
    for (std::size_t first = 0; first < points.count; first += evaluator->lanes)
      evaluate_block(*evaluator, points, first, std::min(evaluator->lanes, points.count - first));
  }
  give_back(std::move(evaluator));
}

bool SharedDensity::hessian_times(const double* theta, std::size_t count, const double* v, double* result) {
  if (!all_finite(theta, dim_) || !all_finite(v, count * dim_)) return false;
  std::unique_ptr<Evaluator> evaluator = take(theta, 1);
  std::vector<double> directions(count * dim_), products(count * dim_);
  transpose(count, dim_, v, directions.data());
  const bool is_ok = evaluator->density->hessian_times(theta, count, directions.data(), products.data());
  if (is_ok) transpose(dim_, count, products.data(), result);
  give_back(std::move(evaluator));
  return is_ok;
}

std::string SharedDensity::why_not_finite(const double* theta) {
  for (std::size_t i = 0; i < dim_; ++i) {
    if (!all_finite(theta + i, 1)) return "coordinate " + std::to_string(i + 1) + " of theta is not finite.";
  }
  std::unique_ptr<Evaluator> evaluator = take(theta, 1);
  double value = 0;
  Status status = Status::ok;
  evaluator->density->evaluate({1, theta, &value, nullptr, &status});
  const std::string message = evaluator->density->message();
  give_back(std::move(evaluator));
  if (status == Status::ok) return {};
  return message.empty() ? "the log density is not finite." : message;
}

}  // namespace kullback::capi
