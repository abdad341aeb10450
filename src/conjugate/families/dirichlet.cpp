// Dirichlet(alpha) on the simplex: natural alpha - 1, statistics log x, h = 1,
//   A = sum log Gamma(alpha_i) - log Gamma(sum alpha),   E log x_i = digamma(alpha_i) - digamma(sum alpha).
// The density is with respect to x_1 .. x_{k-1}.
#include "conjugate/families/family_of.hpp"
#include "conjugate/families/faults.hpp"
#include "conjugate/families/inversion.hpp"
#include "math/gamma_functions.hpp"

namespace kullback::conjugate {
namespace {

struct Dirichlet {
  std::size_t k;

  std::string name() const { return fmt::format("dirichlet({})", k); }
  std::size_t dim() const { return k; }
  std::size_t width() const { return k; }
  std::vector<std::string> parameter_names() const {
    std::vector<std::string> names;
    add_names(names, "alpha", k);
    return names;
  }

  std::string fault(const double* eta) const {
    for (std::size_t i = 0; i < k; ++i) {
      std::string fault = positive_fault("parameter alpha", eta[i] + 1);
      if (!fault.empty()) return fault;
    }
    return {};
  }
  std::string value_fault(const double* x) const {
    double sum = 0;
    for (std::size_t i = 0; i < k; ++i) {
      if (!(x[i] > 0)) return positive_fault("probability", x[i]);
      sum += x[i];
    }
    return std::abs(sum - 1) < 1e-8 ? std::string()
                                    : fmt::format("the probabilities add up to {}; 1 is needed", sum);
  }
  void statistics(const double* x, double* t) const {
    for (std::size_t i = 0; i < k; ++i) t[i] = std::log(x[i]);
  }
  double log_base(const double*) const { return 0; }
  double expected_log_base(const double*) const { return 0; }
  double log_partition(const double* eta) const {
    double sum = 0, logs = 0;
    for (std::size_t i = 0; i < k; ++i) {
      sum += eta[i] + 1;
      logs += math::log_gamma(eta[i] + 1);
    }
    return logs - math::log_gamma(sum);
  }
  void mean(const double* eta, double* m) const {
    double sum = 0;
    for (std::size_t i = 0; i < k; ++i) sum += eta[i] + 1;
    const double all = math::digamma_positive(sum);
    for (std::size_t i = 0; i < k; ++i) m[i] = math::digamma_positive(eta[i] + 1) - all;
  }
  std::string natural_of_mean(const double* m, double* eta) const {
    if (!dirichlet_of_mean(m, k, eta)) return mean_fault("the sum of exp(E log x_i) must be below 1");
    for (std::size_t i = 0; i < k; ++i) eta[i] -= 1;
    return {};
  }
  void parameters(const double* eta, double* p) const {
    for (std::size_t i = 0; i < k; ++i) p[i] = eta[i] + 1;
  }
  void natural_of_parameters(const double* p, double* eta) const {
    for (std::size_t i = 0; i < k; ++i) eta[i] = p[i] - 1;
  }
};

}  // namespace

FamilyPtr dirichlet_family(std::size_t k) { return make_family(Dirichlet{k}); }

}  // namespace kullback::conjugate
