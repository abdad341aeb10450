#include "model/finite_difference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kullback::model {

namespace {

using Function = std::function<double(double)>;

double richardson(const Function& f, double x, double h) {
  const double near = (f(x + h) - f(x - h)) / (2 * h);
  const double far = (f(x + 2 * h) - f(x - 2 * h)) / (4 * h);
  return (4 * near - far) / 3;
}

double first_step(double x, double value) {
  return 2e-4 * std::max(1.0, std::abs(x)) * std::clamp(std::pow(std::abs(value), 0.2), 1.0, 10.0);
}

}  // namespace

double relative_error(double slope, double difference) {
  return std::abs(slope - difference) / (1 + std::abs(slope));
}

double difference_near(const Function& f, double x, double slope) {
  const double h = first_step(x, f(x));
  double best = std::numeric_limits<double>::quiet_NaN();
  for (const double factor : {1.0, 0.1, 5.0, 25.0}) {
    const double difference = richardson(f, x, factor * h);
    if (!(relative_error(slope, best) <= relative_error(slope, difference))) best = difference;
    if (relative_error(slope, best) < 1e-9) break;
  }
  return best;
}

}  // namespace kullback::model
