// Integrals of elements that are nowhere negative (see element.hpp), over the union of the two supports.
#include "stats/divergence/densities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.hpp"
#include "stats/divergence/element.hpp"
#include "stats/divergence/hooks.hpp"
#include "stats/divergence/quadrature.hpp"

namespace kullback::stats {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMassTolerance = 1e-6;

void check(const Density& of) {
  if (!of.log_density) throw Error(ErrorKind::usage, "a density has no function.");
  if (!(of.lower < of.upper))
    throw Error(ErrorKind::usage,
                fmt::format("a density is on ({}, {}): nothing lies there.", of.lower, of.upper));
  if (!(of.scale > 0) || !std::isfinite(of.scale) || !std::isfinite(of.center))
    throw Error(ErrorKind::usage,
                fmt::format("a density has the center {} and the scale {}; they must be finite, the "
                            "scale positive.",
                            of.center, of.scale));
}

double log_density_at(const Density& of, double x) {
  if (!(x > of.lower && x < of.upper)) return -kInfinity;
  const double result = of.log_density(x);
  if (std::isnan(result) || result == kInfinity)
    throw Error(ErrorKind::bad_input, fmt::format("the log density at {} is {}.", x, result),
                "It must be a number or -infinity, which is a density of 0.");
  return result;
}

class Pair final {
 public:
  Pair(const Density& p, const Density& q, const QuadratureOptions& options)
      : p_(p), q_(q), options_(options), axis_(make_axis()) {
    for (const Density* of : {&p, &q}) {
      for (const double step : {-10, -3, -1, 0, 1, 3, 10}) add_break(of->center + step * of->scale);
      add_break(of->lower);
      add_break(of->upper);
    }
    check_mass("first", [](const LogPair& at) { return std::exp(at.log_p); });
    check_mass("second", [](const LogPair& at) { return std::exp(at.log_q); });
  }

  Integral integral(const PairElement& element) const { return integral(element, options_); }

  Integral integral(const PairElement& element, const QuadratureOptions& options) const {
    return integrate_pair(
        axis_, breaks_, [this](const Place& at) { return at_place(at); }, element, options);
  }

  // Of elements that are not homogeneous of degree 1: without the factor dx in the densities.
  Integral plain_integral(const PairElement& element) const {
    const auto integrand = [&](double v) {
      const double value = element(at_place(axis_.place(v)));
      return value == 0 ? 0 : value * std::exp(axis_.log_derivative(v));
    };
    return integrate(axis_, breaks_, integrand, options_);
  }

 private:
  Axis make_axis() const {
    check(p_);
    check(q_);
    return {std::min(p_.lower, q_.lower), std::max(p_.upper, q_.upper), p_.center, p_.scale};
  }

  void add_break(double x) {
    if (x > std::min(p_.lower, q_.lower) && x < std::max(p_.upper, q_.upper)) breaks_.push_back(x);
  }

  LogPair at_place(const Place& at) const { return {log_density_at(p_, at.x), log_density_at(q_, at.x)}; }

  void check_mass(const char* which, const PairElement& element) const {
    const double mass = integral(element).value;
    if (std::abs(mass - 1) > kMassTolerance)
      throw Error(ErrorKind::bad_input,
                  fmt::format("the {} density integrates to {} instead of 1.", which, mass),
                  "Normalise it, or say by center and scale where its mass lies.");
  }

  const Density& p_;
  const Density& q_;
  const QuadratureOptions& options_;
  Axis axis_;
  std::vector<double> breaks_;
};

// value = function(of.value), with the error of first order.
Integral mapped(const Integral& of, double value, double derivative) {
  return {value, std::isinf(value) ? 0 : std::abs(derivative) * of.error};
}

}  // namespace

Integral alpha_divergence(const Density& p, const Density& q, double alpha,
                          const QuadratureOptions& options) {
  check_order(alpha, "alpha");
  return Pair(p, q, options).integral([alpha](const LogPair& at) { return alpha_element(at, alpha); });
}

Integral kl_divergence(const Density& p, const Density& q, const QuadratureOptions& options) {
  return alpha_divergence(p, q, 1, options);
}

// log of int p^a q^(1-a) = log(1 - a (1 - a) A) is taken from the integral itself where it is small.
Integral renyi_divergence(const Density& p, const Density& q, double order,
                          const QuadratureOptions& options) {
  check_order(order, "the order of a Renyi divergence");
  if (order == 0)
    throw Error(ErrorKind::usage, "the Renyi divergence of order 0 depends on the supports alone.",
                "Ask for a small order.");
  const Pair pair(p, q, options);
  const Integral divergence = pair.integral([order](const LogPair& at) { return alpha_element(at, order); });
  const double scale = order * (1 - order);
  if (scale * divergence.value <= 0.5)
    return mapped(divergence, order * gap_from_alpha(divergence.value, order),
                  order / (1 - scale * divergence.value));
  const auto overlap = [order](const LogPair& at) {
    const bool both = at.log_p != -kInfinity && at.log_q != -kInfinity;
    return both ? std::exp(order * at.log_p + (1 - order) * at.log_q) : 0;
  };
  QuadratureOptions relative = options;
  relative.absolute_tolerance = 0;
  const Integral affinity = pair.integral(overlap, relative);
  return mapped(affinity, std::log(affinity.value) / (order - 1), 1 / (affinity.value * (order - 1)));
}

Integral beta_divergence(const Density& p, const Density& q, double beta, const QuadratureOptions& options) {
  check_order(beta, "beta");
  return Pair(p, q, options).plain_integral([beta](const LogPair& at) { return beta_element(at, beta); });
}

Integral chi_divergence(const Density& p, const Density& q, double order, const QuadratureOptions& options) {
  if (!(order > 1) || std::isinf(order))
    throw Error(ErrorKind::usage,
                fmt::format("the order of a chi divergence is {}; it must be above 1.", order));
  const Integral divergence = alpha_divergence(p, q, order, options);
  return mapped(divergence, order * (order - 1) * divergence.value, order * (order - 1));
}

Integral hellinger_distance(const Density& p, const Density& q, const QuadratureOptions& options) {
  const Integral divergence = alpha_divergence(p, q, 0.5, options);
  const double distance = std::sqrt(divergence.value) / 2;
  return mapped(divergence, distance, distance == 0 ? 0 : 1 / (8 * distance));
}

Integral cauchy_schwarz_divergence(const Density& p, const Density& q, const QuadratureOptions& options) {
  const Pair pair(p, q, options);
  const Integral pq = pair.plain_integral([](const LogPair& at) { return std::exp(at.log_p + at.log_q); });
  const Integral pp = pair.plain_integral([](const LogPair& at) { return std::exp(2 * at.log_p); });
  const Integral qq = pair.plain_integral([](const LogPair& at) { return std::exp(2 * at.log_q); });
  if (std::isinf(pp.value) || std::isinf(qq.value) || pq.value == 0) return {kInfinity, 0};
  const double value = (std::log(pp.value) + std::log(qq.value)) / 2 - std::log(pq.value);
  return {std::max(value, 0.0), pq.error / pq.value + (pp.error / pp.value + qq.error / qq.value) / 2};
}

Integral total_variation(const Density& p, const Density& q, const QuadratureOptions& options) {
  return Pair(p, q, options).integral(total_variation_element);
}

Integral jensen_shannon_divergence(const Density& p, const Density& q, const QuadratureOptions& options) {
  return Pair(p, q, options).integral(jensen_shannon_element);
}

}  // namespace kullback::stats
