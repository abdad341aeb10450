// Categorical with k categories, x = 0 .. k-1: natural log p_i up to a shared constant, statistics one-hot, h
// = 1, A = log sum exp(eta). One natural parameter is more than needed: natural_of_mean gives the normalised
// ones.
#include "conjugate/families/family_of.hpp"
#include "conjugate/families/faults.hpp"
#include "conjugate/families/simplex.hpp"

namespace kullback::conjugate {
namespace {

struct Categorical {
  std::size_t k;

  std::string name() const { return fmt::format("categorical({})", k); }
  std::size_t dim() const { return k; }
  std::size_t width() const { return 1; }
  std::vector<std::string> parameter_names() const {
    std::vector<std::string> names;
    add_names(names, "probability", k);
    return names;
  }

  std::string fault(const double* eta) const {
    for (std::size_t i = 0; i < k; ++i)
      if (!std::isfinite(eta[i])) return finite_fault("log probability", eta[i]);
    return {};
  }
  std::string value_fault(const double* x) const {
    if (*x >= 0 && *x < static_cast<double>(k) && *x == std::floor(*x)) return {};
    return fmt::format("the value is {}; a category from 0 to {} is needed", *x, k - 1);
  }
  void statistics(const double* x, double* t) const {
    std::fill(t, t + k, 0.0);
    t[static_cast<std::size_t>(*x)] = 1;
  }
  double log_base(const double*) const { return 0; }
  double expected_log_base(const double*) const { return 0; }
  double log_partition(const double* eta) const { return log_sum_exp(eta, k); }
  void mean(const double* eta, double* m) const { softmax(eta, k, m); }
  std::string natural_of_mean(const double* m, double* eta) const {
    double sum = 0;
    for (std::size_t i = 0; i < k; ++i) {
      if (!(m[i] > 0)) return mean_fault("positive probabilities are needed");
      sum += m[i];
      eta[i] = std::log(m[i]);
    }
    return std::abs(sum - 1) < 1e-8 ? std::string() : mean_fault("probabilities must add up to 1");
  }
  void parameters(const double* eta, double* p) const { softmax(eta, k, p); }
  void natural_of_parameters(const double* p, double* eta) const {
    for (std::size_t i = 0; i < k; ++i) eta[i] = std::log(p[i]);
  }
};

}  // namespace

FamilyPtr categorical_family(std::size_t k) { return make_family(Categorical{k}); }

}  // namespace kullback::conjugate
