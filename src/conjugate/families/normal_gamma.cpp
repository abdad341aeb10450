// (mu, tau) with tau ~ gamma(a, b) and mu ~ N(m, precision kappa tau): the conjugate prior of a Gaussian with
// unknown mean and precision. Natural (kappa m, -b - kappa m^2/2, -kappa/2, a - 1/2), statistics (tau mu,
// tau, tau mu^2, log tau),
//   log h = -log(2 pi)/2,   A = log Gamma(a) - a log b - log(kappa)/2,
//   E t = (m a/b, a/b, 1/kappa + m^2 a/b, digamma(a) - log b).
#include "conjugate/families/family_of.hpp"
#include "conjugate/families/faults.hpp"
#include "conjugate/families/inversion.hpp"
#include "math/gamma_functions.hpp"

namespace kullback::conjugate {
namespace {

struct NormalGamma {
  std::string name() const { return "normal-gamma"; }
  std::size_t dim() const { return 4; }
  std::size_t width() const { return 2; }
  std::vector<std::string> parameter_names() const { return {"mean", "kappa", "shape", "rate"}; }

  std::string fault(const double* eta) const {
    double p[4];
    parameters(eta, p);
    return first_of(first_of(positive_fault("kappa", p[1]), finite_fault("mean", p[0])),
                    first_of(positive_fault("shape", p[2]), positive_fault("rate", p[3])));
  }
  std::string value_fault(const double* x) const {
    return first_of(finite_fault("mean", x[0]), positive_fault("precision", x[1]));
  }
  void statistics(const double* x, double* t) const {
    t[0] = x[1] * x[0];
    t[1] = x[1];
    t[2] = x[1] * x[0] * x[0];
    t[3] = std::log(x[1]);
  }
  double log_base(const double*) const { return -kHalfLogTwoPi; }
  double expected_log_base(const double*) const { return -kHalfLogTwoPi; }
  double log_partition(const double* eta) const {
    double p[4];
    parameters(eta, p);
    return math::log_gamma(p[2]) - p[2] * std::log(p[3]) - 0.5 * std::log(p[1]);
  }
  void mean(const double* eta, double* t) const {
    double p[4];
    parameters(eta, p);
    t[1] = p[2] / p[3];
    t[0] = p[0] * t[1];
    t[2] = 1 / p[1] + p[0] * t[0];
    t[3] = math::digamma_positive(p[2]) - std::log(p[3]);
  }
  std::string natural_of_mean(const double* t, double* eta) const {
    const double gap = std::log(t[1]) - t[3];
    const double inverse_kappa = t[2] - t[0] * t[0] / t[1];
    if (!(gap > 0 && inverse_kappa > 0) || !std::isfinite(gap + inverse_kappa))
      return mean_fault("log E tau > E log tau and E tau mu^2 > (E tau mu)^2 / E tau are needed");
    const double shape = shape_of_gap(gap);
    const double p[4] = {t[0] / t[1], 1 / inverse_kappa, shape, shape / t[1]};
    natural_of_parameters(p, eta);
    return {};
  }
  void parameters(const double* eta, double* p) const {
    p[1] = -2 * eta[2];
    p[0] = eta[0] / p[1];
    p[2] = eta[3] + 0.5;
    p[3] = -eta[1] - 0.5 * eta[0] * p[0];
  }
  void natural_of_parameters(const double* p, double* eta) const {
    eta[0] = p[1] * p[0];
    eta[1] = -p[3] - 0.5 * p[1] * p[0] * p[0];
    eta[2] = -0.5 * p[1];
    eta[3] = p[2] - 0.5;
  }
};

}  // namespace

FamilyPtr normal_gamma_family() {
  static const FamilyPtr family = make_family(NormalGamma{});
  return family;
}

}  // namespace kullback::conjugate
