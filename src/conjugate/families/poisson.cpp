// Poisson(r): natural log r, statistic x, log h = -log x!, A = r.
// E log x! = H - r + r log r with the entropy H; a sum over the central counts, for r > 1000 the expansion
//   H = log(2 pi e r)/2 - 1/(12 r) - 1/(24 r^2) - 19/(360 r^3) - ...
#include "conjugate/families/family_of.hpp"
#include "conjugate/families/faults.hpp"
#include "math/gamma_functions.hpp"

namespace kullback::conjugate {
namespace {

double expected_log_factorial(double rate) {
  if (rate > 1000) {
    const double entropy = kHalfLogTwoPi + 0.5 + 0.5 * std::log(rate) -
                           (1.0 / 12 + (1.0 / 24 + 19.0 / (360 * rate)) / rate) / rate;
    return entropy - rate + rate * std::log(rate);
  }
  // Weights and logarithms relative to those at the mode, both ways from it, which keeps their digits.
  const double mode = std::floor(rate);
  const double top = math::log_factorial(mode);
  double weights = 1, sum = 0;
  for (double weight = 1, x = mode; weight > 1e-20 * weights;) {
    weight *= rate / ++x;
    weights += weight;
    sum += weight * (math::log_factorial(x) - top);
  }
  for (double weight = 1, x = mode; x > 0 && weight > 1e-20 * weights;) {
    weight *= x-- / rate;
    weights += weight;
    sum += weight * (math::log_factorial(x) - top);
  }
  return top + sum / weights;
}

struct Poisson {
  std::string name() const { return "poisson"; }
  std::size_t dim() const { return 1; }
  std::size_t width() const { return 1; }
  std::vector<std::string> parameter_names() const { return {"rate"}; }

  std::string fault(const double* eta) const { return positive_fault("rate", std::exp(*eta)); }
  std::string value_fault(const double* x) const {
    if (*x >= 0 && *x == std::floor(*x) && std::isfinite(*x)) return {};
    return fmt::format("the value is {}; a whole number from 0 is needed", *x);
  }
  void statistics(const double* x, double* t) const { *t = *x; }
  double log_base(const double* x) const { return -math::log_factorial(*x); }
  double expected_log_base(const double* eta) const { return -expected_log_factorial(std::exp(*eta)); }
  double log_partition(const double* eta) const { return std::exp(*eta); }
  void mean(const double* eta, double* m) const { *m = std::exp(*eta); }
  std::string natural_of_mean(const double* m, double* eta) const {
    if (!(*m > 0) || !std::isfinite(*m)) return mean_fault("a positive rate is needed");
    *eta = std::log(*m);
    return {};
  }
  void parameters(const double* eta, double* p) const { *p = std::exp(*eta); }
  void natural_of_parameters(const double* p, double* eta) const { *eta = std::log(*p); }
};

}  // namespace

FamilyPtr poisson_family() {
  static const FamilyPtr family = make_family(Poisson{});
  return family;
}

}  // namespace kullback::conjugate
