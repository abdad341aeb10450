// Ordered logistic and probit regression: outcome y in 1..K, location lambda, cut points c_1 < ... < c_{K-1}.
//   ordered_logistic: see ordered_logistic_kernel.hpp.
//   ordered_probit: p = Phi(c_y - lambda) - Phi(c_{y-1} - lambda), c_0 = -inf, c_K = inf; derivatives by the
//   ratios
//     phi(.) / p. Where both limits are positive they are reflected, so that the difference is of small
//     numbers.
#include <algorithm>

#include "math/array_ops/density_support.hpp"
#include "math/array_ops/ordered_logistic_kernel.hpp"
#include "math/distributions/tails.hpp"

namespace kullback::math {
namespace density {
namespace {

OrderedLogistic ordered_probit(double lambda, double low, double high) {
  double a = low - lambda;
  double b = high - lambda;
  const bool is_reflected = a > 0;
  if (is_reflected) {
    std::swap(a, b);
    a = -a;
    b = -b;
  }
  const double log_b = b == kInfinity ? 0 : log_normal_cdf(b).log;
  const double value = a == -kInfinity ? log_b : log_diff_exp(log_b, log_normal_cdf(a).log);
  const auto slope = [value](double z) {
    return std::isinf(z) ? 0 : std::exp(-0.5 * z * z - kHalfLogTwoPi - value);
  };
  const double at_high = is_reflected ? slope(a) : slope(b);
  const double at_low = is_reflected ? slope(b) : slope(a);
  return {value, at_low - at_high, -at_low, at_high};
}

template <bool probit>
struct Ordered {
  static constexpr std::string_view function = probit ? "ordered_probit_lpmf" : "ordered_logistic_lpmf";

  static void check_shapes(Arguments arguments) {
    const std::size_t outcomes = arguments[0].shape.size();
    const std::size_t locations = arguments[1].shape.size();
    const std::size_t cut_sets = arguments[2].shape.count;
    if (outcomes != 1 && locations != 1)
      check_size_match(function, "Integers", outcomes, "Locations", locations);
    if (cut_sets > 1) {
      check_size_match(function, "Length of location variables ", std::max(outcomes, locations),
                       "Number of cutpoint vectors ", cut_sets);
    }
  }
  static std::size_t work_size(Arguments) { return 0; }

  static double log_density(const Frame& frame) {
    const Values outcomes = values_of(frame, 0);
    const Values locations = values_of(frame, 1);
    const std::size_t cuts = frame.arguments[2].shape.rows;
    const std::size_t cut_sets = frame.arguments[2].shape.count;
    check_finite(function, "Location parameter", locations);
    if (outcomes.empty() || locations.empty() || cut_sets == 0) return 0;
    check_bounded(function, "Random variable", outcomes, {1, static_cast<double>(cuts + 1)});
    for (std::size_t i = 0; i < cut_sets; ++i) {
      const Values set(frame.data(2) + i * cuts, cuts);
      check_ordered(function, "Cut-points", set);
      if (cuts > 1) check_finite(function, "Final cut-point", set.last(1));
      if (cuts > 0) check_finite(function, "First cut-point", set.first(1));
    }
    if (!frame.terms.keep(6U) || cuts == 0) return 0;
    double value = 0;
    const std::size_t count = std::max(outcomes.size(), locations.size());
    for (std::size_t i = 0; i < count; ++i) {
      const auto y = static_cast<std::size_t>(outcomes[outcomes.size() == 1 ? 0 : i]);
      const std::size_t at = locations.size() == 1 ? 0 : i;
      const std::size_t first = cut_sets == 1 ? 0 : i * cuts;
      const double* c = frame.data(2) + first;
      const double low = y == 1 ? -kInfinity : c[y - 2];
      const double high = y == cuts + 1 ? kInfinity : c[y - 1];
      const OrderedLogistic mass =
          probit ? ordered_probit(locations[at], low, high) : ordered_logistic(locations[at], low, high);
      value += mass.value;
      if (frame.wants(1)) frame.partials[1][at] += mass.by_location;
      if (frame.wants(2)) {
        if (y > 1) frame.partials[2][first + y - 2] += mass.by_low;
        if (y <= cuts) frame.partials[2][first + y - 1] += mass.by_high;
      }
    }
    return value;
  }
};

}  // namespace
}  // namespace density

void append_ordered_ops(std::vector<ArrayOp>& ops) {
  using namespace density;
  const Type ints = array_of(kInt);
  const std::vector<Type> cut_types = {kVector, array_of(kVector)};
  ops.push_back(density_op<Ordered<false>>(Ordered<false>::function, {kInt, kReal, kVector}));
  ops.push_back(density_op<Ordered<true>>(Ordered<true>::function, {kInt, kReal, kVector}));
  for (std::vector<Type>& types : combinations({{ints}, {kVector}, cut_types})) {
    ops.push_back(density_op<Ordered<false>>(Ordered<false>::function, std::move(types)));
  }
  for (std::vector<Type>& types : combinations({{ints}, {kReal, kVector}, cut_types})) {
    ops.push_back(density_op<Ordered<true>>(Ordered<true>::function, std::move(types)));
  }
}

}  // namespace kullback::math
