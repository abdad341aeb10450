// beta(a, b): natural (a - 1, b - 1), statistics (log x, log(1 - x)), h = 1, A = log B(a, b),
//   E log x = digamma(a) - digamma(a + b),   E log(1 - x) = digamma(b) - digamma(a + b).
#include "conjugate/families/family_of.hpp"
#include "conjugate/families/faults.hpp"
#include "conjugate/families/inversion.hpp"
#include "math/gamma_functions.hpp"

namespace kullback::conjugate {
namespace {

struct Beta {
  std::string name() const { return "beta"; }
  std::size_t dim() const { return 2; }
  std::size_t width() const { return 1; }
  std::vector<std::string> parameter_names() const { return {"a", "b"}; }

  std::string fault(const double* eta) const {
    return first_of(positive_fault("parameter a", eta[0] + 1), positive_fault("parameter b", eta[1] + 1));
  }
  std::string value_fault(const double* x) const {
    if (*x > 0 && *x < 1) return {};
    return fmt::format("the value is {}; it must lie between 0 and 1", *x);
  }
  void statistics(const double* x, double* t) const {
    t[0] = std::log(*x);
    t[1] = std::log1p(-*x);
  }
  double log_base(const double*) const { return 0; }
  double expected_log_base(const double*) const { return 0; }
  double log_partition(const double* eta) const { return math::log_beta(eta[0] + 1, eta[1] + 1); }
  void mean(const double* eta, double* m) const {
    const double all = math::digamma_positive(eta[0] + eta[1] + 2);
    m[0] = math::digamma_positive(eta[0] + 1) - all;
    m[1] = math::digamma_positive(eta[1] + 1) - all;
  }
  std::string natural_of_mean(const double* m, double* eta) const {
    if (!dirichlet_of_mean(m, 2, eta)) return mean_fault("exp(E log x) + exp(E log(1 - x)) must be below 1");
    eta[0] -= 1;
    eta[1] -= 1;
    return {};
  }
  void parameters(const double* eta, double* p) const {
    p[0] = eta[0] + 1;
    p[1] = eta[1] + 1;
  }
  void natural_of_parameters(const double* p, double* eta) const {
    eta[0] = p[0] - 1;
    eta[1] = p[1] - 1;
  }
};

}  // namespace

FamilyPtr beta_family() {
  static const FamilyPtr family = make_family(Beta{});
  return family;
}

}  // namespace kullback::conjugate
