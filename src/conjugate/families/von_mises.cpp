// von Mises(m, kappa) on the circle: natural kappa (cos m, sin m), statistics (cos x, sin x), h = 1,
//   A = log(2 pi I_0(|eta|)),   E t = (I_1 / I_0)(|eta|) eta / |eta|.
#include "conjugate/families/family_of.hpp"
#include "conjugate/families/faults.hpp"
#include "conjugate/families/inversion.hpp"
#include "math/bessel_ratio.hpp"

namespace kullback::conjugate {
namespace {

struct VonMises {
  std::string name() const { return "von mises"; }
  std::size_t dim() const { return 2; }
  std::size_t width() const { return 1; }
  std::vector<std::string> parameter_names() const { return {"direction", "concentration"}; }

  std::string fault(const double* eta) const {
    return first_of(finite_fault("concentration times the cosine of the direction", eta[0]),
                    finite_fault("concentration times the sine of the direction", eta[1]));
  }
  std::string value_fault(const double* x) const { return finite_fault("angle", *x); }
  void statistics(const double* x, double* t) const {
    t[0] = std::cos(*x);
    t[1] = std::sin(*x);
  }
  double log_base(const double*) const { return 0; }
  double expected_log_base(const double*) const { return 0; }
  double log_partition(const double* eta) const {
    const double kappa = std::hypot(eta[0], eta[1]);
    return 2 * kHalfLogTwoPi + kappa + math::BesselRatio(kappa).log;
  }
  void mean(const double* eta, double* m) const {
    const double kappa = std::hypot(eta[0], eta[1]);
    const double shrink =
        kappa > 1e-3 ? (1 - math::BesselRatio(kappa).complement) / kappa : 0.5 - kappa * kappa / 16;
    m[0] = shrink * eta[0];
    m[1] = shrink * eta[1];
  }
  std::string natural_of_mean(const double* m, double* eta) const {
    const double length = std::hypot(m[0], m[1]);
    if (!(length < 1)) return mean_fault("a mean resultant length below 1 is needed");
    const double scale = length > 0 ? concentration_of_length(length) / length : 2;
    eta[0] = scale * m[0];
    eta[1] = scale * m[1];
    return {};
  }
  void parameters(const double* eta, double* p) const {
    p[0] = std::atan2(eta[1], eta[0]);
    p[1] = std::hypot(eta[0], eta[1]);
  }
  // A negative concentration would be the opposite direction: NaN, which `fault` refuses.
  void natural_of_parameters(const double* p, double* eta) const {
    const double kappa = p[1] >= 0 ? p[1] : NAN;
    eta[0] = kappa * std::cos(p[0]);
    eta[1] = kappa * std::sin(p[0]);
  }
};

}  // namespace

FamilyPtr von_mises_family() {
  static const FamilyPtr family = make_family(VonMises{});
  return family;
}

}  // namespace kullback::conjugate
