// Multinomial of n trials and k categories: natural log p_i up to a shared constant, statistics the counts,
//   log h = log n! - sum log x_i!,   A = n log sum exp(eta),   E x = n p.
// E log h is a sum over the binomial margins: n k terms. With n = 0 counts of any number of trials are taken,
// and only statistics and log h mean something.
#include "conjugate/families/family_of.hpp"
#include "conjugate/families/faults.hpp"
#include "conjugate/families/simplex.hpp"
#include "math/gamma_functions.hpp"

namespace kullback::conjugate {
namespace {

struct Multinomial {
  double trials;
  std::size_t k;

  std::string name() const { return fmt::format("multinomial({}, {})", trials, k); }
  std::size_t dim() const { return k; }
  std::size_t width() const { return k; }
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
    double sum = 0;
    for (std::size_t i = 0; i < k; ++i) {
      if (!(x[i] >= 0 && x[i] == std::floor(x[i]) && std::isfinite(x[i])))
        return fmt::format("a count is {}; whole numbers from 0 are needed", x[i]);
      sum += x[i];
    }
    return trials == 0 || sum == trials
               ? std::string()
               : fmt::format("the counts add up to {}; {} trials are declared", sum, trials);
  }
  void statistics(const double* x, double* t) const { std::copy(x, x + k, t); }
  double log_base(const double* x) const {
    double count = 0, sum = 0;
    for (std::size_t i = 0; i < k; ++i) {
      count += x[i];
      sum -= math::log_factorial(x[i]);
    }
    return sum + math::log_factorial(count);
  }
  double expected_log_base(const double* eta) const {
    double sum = math::log_factorial(trials);
    const double all = log_sum_exp(eta, k);
    for (std::size_t i = 0; i < k; ++i) {
      const double log_p = eta[i] - all;
      const double log_q = std::log(-std::expm1(log_p));
      for (double x = 2; x <= trials; ++x) {
        const double rest = x < trials ? (trials - x) * log_q : 0;
        sum -= std::exp(math::log_choose(trials, x) + x * log_p + rest) * math::log_factorial(x);
      }
    }
    return sum;
  }
  double log_partition(const double* eta) const { return trials * log_sum_exp(eta, k); }
  void mean(const double* eta, double* m) const {
    softmax(eta, k, m);
    for (std::size_t i = 0; i < k; ++i) m[i] *= trials;
  }
  std::string natural_of_mean(const double* m, double* eta) const {
    double sum = 0;
    for (std::size_t i = 0; i < k; ++i) {
      if (!(m[i] > 0)) return mean_fault("positive counts are needed");
      sum += m[i];
      eta[i] = std::log(m[i] / trials);
    }
    return std::abs(sum - trials) < 1e-8 * trials ? std::string()
                                                  : mean_fault("counts must add up to the trials");
  }
  void parameters(const double* eta, double* p) const { softmax(eta, k, p); }
  void natural_of_parameters(const double* p, double* eta) const {
    for (std::size_t i = 0; i < k; ++i) eta[i] = std::log(p[i]);
  }
};

}  // namespace

FamilyPtr multinomial_family(std::size_t trials, std::size_t k) {
  return make_family(Multinomial{static_cast<double>(trials), k});
}

}  // namespace kullback::conjugate
