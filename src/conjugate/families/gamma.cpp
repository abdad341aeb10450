// gamma(a, b), density x^(a-1) e^(-b x) b^a / Gamma(a): natural (a - 1, -b), statistics (log x, x), h = 1,
//   A = log Gamma(a) - a log b,   E log x = digamma(a) - log b,   E x = a / b.
#include "conjugate/families/family_of.hpp"
#include "conjugate/families/faults.hpp"
#include "conjugate/families/inversion.hpp"
#include "math/gamma_functions.hpp"

namespace kullback::conjugate {
namespace {

struct Gamma {
  std::string name() const { return "gamma"; }
  std::size_t dim() const { return 2; }
  std::size_t width() const { return 1; }
  std::vector<std::string> parameter_names() const { return {"shape", "rate"}; }

  std::string fault(const double* eta) const {
    return first_of(positive_fault("shape", eta[0] + 1), positive_fault("rate", -eta[1]));
  }
  std::string value_fault(const double* x) const { return positive_fault("value", *x); }
  void statistics(const double* x, double* t) const {
    t[0] = std::log(*x);
    t[1] = *x;
  }
  double log_base(const double*) const { return 0; }
  double expected_log_base(const double*) const { return 0; }
  double log_partition(const double* eta) const {
    return math::log_gamma(eta[0] + 1) - (eta[0] + 1) * std::log(-eta[1]);
  }
  void mean(const double* eta, double* m) const {
    m[0] = math::digamma_positive(eta[0] + 1) - std::log(-eta[1]);
    m[1] = -(eta[0] + 1) / eta[1];
  }
  std::string natural_of_mean(const double* m, double* eta) const {
    const double gap = std::log(m[1]) - m[0];
    if (!(gap > 0) || !std::isfinite(gap)) return mean_fault("log E x > E log x is needed");
    const double shape = shape_of_gap(gap);
    eta[0] = shape - 1;
    eta[1] = -shape / m[1];
    return {};
  }
  void parameters(const double* eta, double* p) const {
    p[0] = eta[0] + 1;
    p[1] = -eta[1];
  }
  void natural_of_parameters(const double* p, double* eta) const {
    eta[0] = p[0] - 1;
    eta[1] = -p[1];
  }
};

}  // namespace

FamilyPtr gamma_family() {
  static const FamilyPtr family = make_family(Gamma{});
  return family;
}

}  // namespace kullback::conjugate
