// Integrals of functions of one variable by Boost.Math's adaptive rules.
#pragma once

#include <functional>
#include <string_view>

namespace kullback::math {

// f(x, xc): where both limits are finite and the rule is double exponential, xc is lower - x nearer to the
// lower limit and upper - x nearer to the upper one, without loss of digits; else it is NaN.
using Integrand = std::function<double(double x, double xc)>;

struct QuadratureControl {
  enum class Rule { double_exponential, gauss_kronrod };
  static constexpr int kDefaultRefinements = -1;  // Boost's own

  std::string_view function;  // what the user called, for messages
  Rule rule = Rule::double_exponential;
  double relative_tolerance = 0;
  double absolute_tolerance = 0;
  int max_refinements = kDefaultRefinements;  // Gauss-Kronrod: bisections
};

// Throws std::domain_error where the estimated error exceeds
// max(relative_tolerance * integral of |f|, absolute_tolerance), or the limits make no sense.
double integrate(const Integrand& f, double lower, double upper, const QuadratureControl& control);

}  // namespace kullback::math
