// Finite limits: tanh-sinh, in two pieces where zero is inside; one infinite limit: exp-sinh (and tanh-sinh
// up to zero); both infinite: sinh-sinh. These rules and pieces are Stan's (Takahasi and Mori 1974).
// Gauss-Kronrod has 21 points.
#include "math/solvers/quadrature.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/quadrature/exp_sinh.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/quadrature/sinh_sinh.hpp>
#include <boost/math/quadrature/tanh_sinh.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "math/solvers/check.hpp"

namespace kullback::math {

namespace {

namespace quadrature = boost::math::quadrature;

constexpr unsigned kKronrodPoints = 21;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

void check_error(const QuadratureControl& control, double error, double norm, std::string_view where) {
  if (error <= std::max(control.relative_tolerance * norm, control.absolute_tolerance)) return;
  throw std::domain_error(
      fmt::format("{}: error estimate of integral{} {} exceeds max(relative tolerance * norm of integral, "
                  "absolute tolerance)",
                  control.function, where, error));
}

// Tables of abscissas are made once for each thread.
template <class Rule, class... Arguments>
double apply(const QuadratureControl& control, const Arguments&... arguments) {
  if (control.max_refinements == QuadratureControl::kDefaultRefinements) {
    static thread_local Rule rule;
    return rule.integrate(arguments...);
  }
  return Rule(static_cast<std::size_t>(control.max_refinements)).integrate(arguments...);
}

class DoubleExponential final {
 public:
  DoubleExponential(const Integrand& f, const QuadratureControl& control) : f_(f), control_(control) {}

  double over(double a, double b) const {
    if (std::isinf(a) && std::isinf(b)) return whole_line();
    if (std::isinf(a)) return b <= 0 ? half_line(a, b, "") : half_line(a, 0, below()) + inside(0, b, above());
    if (std::isinf(b)) return a >= 0 ? half_line(a, b, "") : inside(a, 0, below()) + half_line(0, b, above());
    if (a < 0 && b > 0) return interval(a, 0, below()) + interval(0, b, above());
    return interval(a, b, "");
  }

 private:
  static std::string_view below() { return " below zero"; }
  static std::string_view above() { return " above zero"; }

  double whole_line() const {
    double error = 0;
    double norm = 0;
    std::size_t levels = 0;
    const auto f = [this](double x) { return f_(x, kNaN); };
    const double value = apply<quadrature::sinh_sinh<double>>(control_, f, control_.relative_tolerance,
                                                              &error, &norm, &levels);
    check_error(control_, error, norm, "");
    return value;
  }

  double half_line(double a, double b, std::string_view where) const {
    double error = 0;
    double norm = 0;
    std::size_t levels = 0;
    const auto f = [this](double x) { return f_(x, kNaN); };
    const double value = apply<quadrature::exp_sinh<double>>(control_, f, a, b, control_.relative_tolerance,
                                                             &error, &norm, &levels);
    check_error(control_, error, norm, where);
    return value;
  }

  // The finite piece of an infinite interval.
  double inside(double a, double b, std::string_view where) const {
    return tanh_sinh([this](double x) { return f_(x, kNaN); }, a, b, where);
  }

  double interval(double a, double b, std::string_view where) const {
    return tanh_sinh([this](double x, double xc) { return f_(x, xc); }, a, b, where);
  }

  template <class F>
  double tanh_sinh(const F& f, double a, double b, std::string_view where) const {
    double error = 0;
    double norm = 0;
    std::size_t levels = 0;
    const double value = apply<quadrature::tanh_sinh<double>>(control_, f, a, b, control_.relative_tolerance,
                                                              &error, &norm, &levels);
    check_error(control_, error, norm, where);
    return value;
  }

  const Integrand& f_;
  const QuadratureControl& control_;
};

double gauss_kronrod(const Integrand& f, double a, double b, const QuadratureControl& control) {
  constexpr int kDepth = 15;
  const int depth =
      control.max_refinements == QuadratureControl::kDefaultRefinements ? kDepth : control.max_refinements;
  double error = 0;
  double norm = 0;
  const double value = quadrature::gauss_kronrod<double, kKronrodPoints>::integrate(
      [&](double x) { return f(x, kNaN); }, a, b, static_cast<unsigned>(depth), control.relative_tolerance,
      &error, &norm);
  check_error(control, error, norm, "");
  return value;
}

}  // namespace

double integrate(const Integrand& f, double lower, double upper, const QuadratureControl& control) {
  if (!(lower <= upper)) {
    throw std::domain_error(fmt::format("{}: lower limit is {}, but must be less than or equal to {}",
                                        control.function, lower, upper));
  }
  check::nonnegative(control.function, "relative_tolerance", control.relative_tolerance);
  check::nonnegative(control.function, "absolute_tolerance", control.absolute_tolerance);
  if (lower == upper) {
    if (std::isinf(lower))
      throw std::domain_error(fmt::format("{}: Integration endpoints are both {}", control.function, lower));
    return 0;
  }
  try {
    return control.rule == QuadratureControl::Rule::gauss_kronrod
               ? gauss_kronrod(f, lower, upper, control)
               : DoubleExponential(f, control).over(lower, upper);
  } catch (const boost::math::evaluation_error& e) {  // f is not finite somewhere inside
    throw std::domain_error(fmt::format("{}: {}", control.function, e.what()));
  }
}

}  // namespace kullback::math
