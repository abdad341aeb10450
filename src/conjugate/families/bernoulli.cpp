// Bernoulli(p), x 0 or 1: natural log(p / (1 - p)), statistic x, h = 1, A = log(1 + e^eta).
#include "conjugate/families/family_of.hpp"
#include "conjugate/families/faults.hpp"

namespace kullback::conjugate {
namespace {

struct Bernoulli {
  std::string name() const { return "bernoulli"; }
  std::size_t dim() const { return 1; }
  std::size_t width() const { return 1; }
  std::vector<std::string> parameter_names() const { return {"probability"}; }

  std::string fault(const double* eta) const { return finite_fault("logit of the probability", *eta); }
  std::string value_fault(const double* x) const {
    if (*x == 0 || *x == 1) return {};
    return fmt::format("the value is {}; it must be 0 or 1", *x);
  }
  void statistics(const double* x, double* t) const { *t = *x; }
  double log_base(const double*) const { return 0; }
  double expected_log_base(const double*) const { return 0; }
  double log_partition(const double* eta) const {
    return *eta > 0 ? *eta + std::log1p(std::exp(-*eta)) : std::log1p(std::exp(*eta));
  }
  void mean(const double* eta, double* m) const { *m = 1 / (1 + std::exp(-*eta)); }
  std::string natural_of_mean(const double* m, double* eta) const {
    if (!(*m > 0 && *m < 1)) return mean_fault("a probability between 0 and 1 is needed");
    *eta = std::log(*m) - std::log1p(-*m);
    return {};
  }
  void parameters(const double* eta, double* p) const { mean(eta, p); }
  void natural_of_parameters(const double* p, double* eta) const { *eta = std::log(*p) - std::log1p(-*p); }
};

}  // namespace

FamilyPtr bernoulli_family() {
  static const FamilyPtr family = make_family(Bernoulli{});
  return family;
}

}  // namespace kullback::conjugate
