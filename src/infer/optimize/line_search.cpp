// f(a) along a line, f'(0) < 0. Wanted: a step a with
//   f(a) <= f(0) + c1 a f'(0)     it falls enough
//   |f'(a)| <= c2 |f'(0)|         it is flat enough
// First the step grows until an interval must contain such a step: its end `high` is too high, or past the
// minimum, or not finite; its end `low` is the lowest point so far that falls enough, and f falls from it
// towards `high`. Then the interval shrinks to the minimiser of the cubic with the values and slopes of both
// ends, kept away from the ends; to the middle where the cubic shrinks it slowly, or where `high` is not
// finite.
//
// Near a minimum f(a) - f(0) drowns in rounding while slopes are still exact: values that differ by a few
// units in the last place of f(0) count as equal (Hager and Zhang 2005, "approximate Wolfe").
#include "infer/optimize/line_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kullback::infer {

namespace {

constexpr double kFall = 1e-4;     // c1
constexpr double kFlatness = 0.9;  // c2
constexpr int kMaxEvaluations = 60;
constexpr double kGrowth = 10;
constexpr double kLeastGrowth = 2;
constexpr double kRounding = 8 * std::numeric_limits<double>::epsilon();
constexpr double kNearLow = 1e-3;  // of the interval: a first step may be far too long
constexpr double kNearHigh = 0.05;
constexpr double kSlow = 0.66;  // an interval that keeps more than this shrinks slowly
constexpr double kNarrow = 1e-14;
// Not finite points after which a step that falls enough is taken: not onto the edge of the support, where
// the next direction could not lead along it.
constexpr int kMaxNotFinite = 5;

// The minimiser of the cubic through both points; NaN where there is none.
double cubic_minimiser(const LinePoint& a, const LinePoint& b) {
  const double width = b.step - a.step;
  const double d1 = a.slope + b.slope - 3 * (a.value - b.value) / (a.step - b.step);
  const double square = d1 * d1 - a.slope * b.slope;
  if (!(square >= 0)) return std::numeric_limits<double>::quiet_NaN();
  const double d2 = std::copysign(std::sqrt(square), width);
  return b.step - width * (b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2);
}

class Search final {
 public:
  Search(const LineFunction& line, const LinePoint& start)
      : line_(line), start_(start), slack_(kRounding * std::abs(start.value)), low_(start) {}

  SearchResult run(double first_step, double max_step) {
    double step = std::min(first_step, max_step);
    while (evaluations_ < kMaxEvaluations) {
      const LinePoint point = at(step);
      if (is_too_high(point)) return shrink(point);
      if (is_flat(point)) return {SearchEnd::wolfe, point.step};
      const LinePoint before = low_;
      low_ = point;
      if (point.slope >= 0) return shrink(before);
      if (step >= max_step) return {SearchEnd::unbounded, step};
      step = std::min(longer_step(before, point), max_step);
    }
    return best();
  }

 private:
  LinePoint at(double step) {
    ++evaluations_;
    const LinePoint point = line_(step);
    if (!point.is_finite) ++not_finite_;
    return point;
  }

  bool is_too_high(const LinePoint& point) const {
    return !point.is_finite || point.value > start_.value + kFall * point.step * start_.slope + slack_ ||
           point.value > low_.value + slack_;
  }

  bool is_flat(const LinePoint& point) const {
    return std::abs(point.slope) <= kFlatness * std::abs(start_.slope);
  }

  static double longer_step(const LinePoint& before, const LinePoint& point) {
    const double cubic = cubic_minimiser(before, point);
    if (!(cubic > point.step)) return kGrowth * point.step;
    return std::clamp(cubic, kLeastGrowth * point.step, kGrowth * point.step);
  }

  double inner_step(const LinePoint& high, bool is_slow) const {
    const double width = high.step - low_.step;
    if (!high.is_finite) return low_.step + width * (low_.step == 0 ? 0.1 : 0.5);
    const double cubic = is_slow ? std::numeric_limits<double>::quiet_NaN() : cubic_minimiser(low_, high);
    if (!std::isfinite(cubic)) return low_.step + 0.5 * width;
    return low_.step + std::clamp((cubic - low_.step) / width, kNearLow, 1 - kNearHigh) * width;
  }

  SearchResult shrink(LinePoint high) {
    bool is_slow = false;
    while (evaluations_ < kMaxEvaluations) {
      const double width = std::abs(high.step - low_.step);
      if (width <= kNarrow * std::max(high.step, low_.step)) break;
      if (not_finite_ >= kMaxNotFinite && low_.step > 0) break;
      const LinePoint point = at(inner_step(high, is_slow));
      if (is_too_high(point)) {
        high = point;
      } else {
        if (is_flat(point)) return {SearchEnd::wolfe, point.step};
        if (point.slope * (high.step - low_.step) >= 0) high = low_;
        low_ = point;
      }
      is_slow = std::abs(high.step - low_.step) > kSlow * width;
    }
    return best();
  }

  SearchResult best() const {
    return low_.step > 0 ? SearchResult{SearchEnd::decrease, low_.step} : SearchResult{SearchEnd::failed, 0};
  }

  const LineFunction& line_;
  LinePoint start_;
  double slack_;
  LinePoint low_;
  int evaluations_ = 0;
  int not_finite_ = 0;
};

}  // namespace

SearchResult search_line(const LineFunction& line, const LinePoint& start, double first_step,
                         double max_step) {
  return Search(line, start).run(first_step, max_step);
}

}  // namespace kullback::infer
