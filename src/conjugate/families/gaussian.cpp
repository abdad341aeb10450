// N(m, precision p): natural (p m, -p/2), statistics (x, x^2), log h = -log(2 pi)/2,
//   A = -eta_1^2 / (4 eta_2) - log(-2 eta_2)/2 = p m^2/2 - log(p)/2.
#include "conjugate/families/family_of.hpp"
#include "conjugate/families/faults.hpp"

namespace kullback::conjugate {
namespace {

struct Gaussian {
  std::string name() const { return "gaussian"; }
  std::size_t dim() const { return 2; }
  std::size_t width() const { return 1; }
  std::vector<std::string> parameter_names() const { return {"mean", "precision"}; }

  std::string fault(const double* eta) const {
    return first_of(positive_fault("precision", -2 * eta[1]),
                    finite_fault("precision times the mean", eta[0]));
  }
  std::string value_fault(const double* x) const { return finite_fault("value", *x); }
  void statistics(const double* x, double* t) const {
    t[0] = *x;
    t[1] = *x * *x;
  }
  double log_base(const double*) const { return -kHalfLogTwoPi; }
  double expected_log_base(const double*) const { return -kHalfLogTwoPi; }
  double log_partition(const double* eta) const {
    return -0.25 * eta[0] * eta[0] / eta[1] - 0.5 * std::log(-2 * eta[1]);
  }
  void mean(const double* eta, double* m) const {
    m[0] = -0.5 * eta[0] / eta[1];
    m[1] = m[0] * m[0] - 0.5 / eta[1];
  }
  std::string natural_of_mean(const double* m, double* eta) const {
    const double variance = m[1] - m[0] * m[0];
    if (!(variance > 0) || !std::isfinite(variance)) return mean_fault("E x^2 > (E x)^2 is needed");
    eta[0] = m[0] / variance;
    eta[1] = -0.5 / variance;
    return {};
  }
  void parameters(const double* eta, double* p) const {
    p[0] = -0.5 * eta[0] / eta[1];
    p[1] = -2 * eta[1];
  }
  void natural_of_parameters(const double* p, double* eta) const {
    eta[0] = p[0] * p[1];
    eta[1] = -0.5 * p[1];
  }
};

}  // namespace

FamilyPtr gaussian_family() {
  static const FamilyPtr family = make_family(Gaussian{});
  return family;
}

}  // namespace kullback::conjugate
