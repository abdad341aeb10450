// Wishart(nu, V): natural (-V/2, (nu - d - 1)/2), statistics (x, log|x|), h = 1; formulas in
// wishart_point.hpp.
#include "conjugate/families/family_of.hpp"
#include "conjugate/families/wishart_point.hpp"

namespace kullback::conjugate {
namespace {

struct Wishart {
  std::size_t d;
  WishartPoint point{d};

  std::string name() const { return fmt::format("wishart({})", d); }
  std::size_t dim() const { return triangle(d) + 1; }
  std::size_t width() const { return d * d; }
  std::vector<std::string> parameter_names() const {
    std::vector<std::string> names = {"degrees"};
    add_matrix_names(names, "inverse scale", d);
    return names;
  }

  std::string fault(const double* eta) const { return point.fault(inverse_scale(eta), degrees(eta)); }
  std::string value_fault(const double* x) const { return point.value_fault(x); }
  void statistics(const double* x, double* t) const { t[triangle(d)] = point.statistics(x, t); }
  double log_base(const double*) const { return 0; }
  double expected_log_base(const double*) const { return 0; }
  double log_partition(const double* eta) const {
    return point.log_partition(inverse_scale(eta), degrees(eta));
  }
  void mean(const double* eta, double* m) const {
    m[triangle(d)] = point.mean(inverse_scale(eta), degrees(eta), m);
    scale_off_diagonal(d, 2, m);
  }
  std::string natural_of_mean(const double* m, double* eta) const {
    std::vector<double> matrix(m, m + triangle(d));
    scale_off_diagonal(d, 0.5, matrix.data());
    double nu = 0;
    if (!point.of_mean(matrix.data(), m[triangle(d)], eta, nu))
      return mean_fault("E x must be positive definite and log|E x| > E log|x|");
    set_degrees(nu, eta);
    return {};
  }
  void parameters(const double* eta, double* p) const {
    p[0] = degrees(eta);
    unpack(d, eta, -2, p + 1);
  }
  void natural_of_parameters(const double* p, double* eta) const {
    pack(d, p + 1, 1, eta);
    set_degrees(p[0], eta);
  }

 private:
  double degrees(const double* eta) const { return 2 * eta[triangle(d)] + static_cast<double>(d) + 1; }
  const double* inverse_scale(const double* eta) const {
    thread_local std::vector<double> v;
    v.assign(eta, eta + triangle(d));
    for (double& x : v) x *= -2;
    return v.data();
  }
  // Turns V in its place into -V/2 and sets the last coordinate.
  void set_degrees(double nu, double* eta) const {
    for (std::size_t i = 0; i < triangle(d); ++i) eta[i] *= -0.5;
    eta[triangle(d)] = 0.5 * (nu - static_cast<double>(d) - 1);
  }
};

}  // namespace

FamilyPtr wishart_family(std::size_t d) { return make_family(Wishart{d}); }

}  // namespace kullback::conjugate
