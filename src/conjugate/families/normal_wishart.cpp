// (mu, L) with L ~ Wishart(nu, V) and mu ~ N(m, precision kappa L): the conjugate prior of a multivariate
// Gaussian. Natural (kappa m, -(V + kappa m m')/2, -kappa/2, (nu - d)/2), statistics (L mu, L, mu' L mu,
// log|L|),
//   log h = -d log(2 pi)/2,   A = A_Wishart(V, nu) - d log(kappa)/2,
//   E L mu = nu V^-1 m,   E mu' L mu = d/kappa + nu m' V^-1 m.
#include "conjugate/families/family_of.hpp"
#include "conjugate/families/wishart_point.hpp"

namespace kullback::conjugate {
namespace {

struct NormalWishart {
  std::size_t d;
  WishartPoint wishart{d};

  std::string name() const { return fmt::format("normal-wishart({})", d); }
  std::size_t dim() const { return d + triangle(d) + 2; }
  std::size_t width() const { return d + d * d; }
  std::vector<std::string> parameter_names() const {
    std::vector<std::string> names;
    add_names(names, "mean", d);
    names.insert(names.end(), {"kappa", "degrees"});
    add_matrix_names(names, "inverse scale", d);
    return names;
  }

  std::string fault(const double* eta) const {
    const Usual& usual = usual_of(eta);
    std::string fault = positive_fault("kappa", usual.kappa);
    for (std::size_t i = 0; i < d; ++i) fault = first_of(fault, finite_fault("mean", usual.mean[i]));
    return first_of(fault, wishart.fault(usual.v.data(), usual.nu));
  }
  std::string value_fault(const double* x) const {
    std::string fault;
    for (std::size_t i = 0; i < d; ++i) fault = first_of(fault, finite_fault("mean", x[i]));
    return first_of(fault, wishart.value_fault(x + d));
  }
  void statistics(const double* x, double* t) const {
    const double* matrix = x + d;
    t[kappa_at()] = 0;
    for (std::size_t i = 0; i < d; ++i) {
      t[i] = 0;
      for (std::size_t j = 0; j < d; ++j) t[i] += matrix[i * d + j] * x[j];
      t[kappa_at()] += x[i] * t[i];
    }
    t[kappa_at() + 1] = wishart.statistics(matrix, t + d);
  }
  double log_base(const double*) const { return -kHalfLogTwoPi * static_cast<double>(d); }
  double expected_log_base(const double*) const { return log_base(nullptr); }
  double log_partition(const double* eta) const {
    const Usual& usual = usual_of(eta);
    return wishart.log_partition(usual.v.data(), usual.nu) -
           0.5 * static_cast<double>(d) * std::log(usual.kappa);
  }
  void mean(const double* eta, double* t) const {
    const Usual& usual = usual_of(eta);
    double* matrix = t + d;
    t[kappa_at() + 1] = wishart.mean(usual.v.data(), usual.nu, matrix);
    t[kappa_at()] = static_cast<double>(d) / usual.kappa;
    for (std::size_t i = 0; i < d; ++i) {
      t[i] = 0;
      for (std::size_t j = 0; j < d; ++j) t[i] += matrix[packed_any(i, j)] * usual.mean[j];
      t[kappa_at()] += t[i] * usual.mean[i];
    }
    scale_off_diagonal(d, 2, matrix);
  }
  std::string natural_of_mean(const double* t, double* eta) const {
    std::vector<double> matrix(t + d, t + kappa_at());
    scale_off_diagonal(d, 0.5, matrix.data());
    Usual usual;
    usual.v.resize(triangle(d));
    usual.mean.resize(d);
    double square = 0;
    if (shared_cholesky().factor(d, matrix.data())) {
      shared_cholesky().solve(t, usual.mean.data());
      for (std::size_t i = 0; i < d; ++i) square += usual.mean[i] * t[i];
    }
    usual.kappa = static_cast<double>(d) / (t[kappa_at()] - square);
    if (!wishart.of_mean(matrix.data(), t[kappa_at() + 1], usual.v.data(), usual.nu) || !(usual.kappa > 0))
      return mean_fault("E L positive definite, log|E L| > E log|L| and E mu' L mu large enough are needed");
    set_natural(usual, eta);
    return {};
  }
  void parameters(const double* eta, double* p) const {
    const Usual& usual = usual_of(eta);
    std::copy(usual.mean.begin(), usual.mean.end(), p);
    p[d] = usual.kappa;
    p[d + 1] = usual.nu;
    unpack(d, usual.v.data(), 1, p + d + 2);
  }
  void natural_of_parameters(const double* p, double* eta) const {
    Usual usual{.mean = {p, p + d}, .kappa = p[d], .nu = p[d + 1], .v = std::vector<double>(triangle(d))};
    pack(d, p + d + 2, 1, usual.v.data());
    set_natural(usual, eta);
  }

 private:
  struct Usual {
    std::vector<double> mean = {};
    double kappa = 0;
    double nu = 0;
    std::vector<double> v = {};
  };

  std::size_t kappa_at() const { return d + triangle(d); }
  // In memory of the thread, good until the next call.
  const Usual& usual_of(const double* eta) const {
    thread_local Usual usual;
    usual.kappa = -2 * eta[kappa_at()];
    usual.nu = 2 * eta[kappa_at() + 1] + static_cast<double>(d);
    usual.mean.resize(d);
    usual.v.resize(triangle(d));
    for (std::size_t i = 0; i < d; ++i) {
      usual.mean[i] = eta[i] / usual.kappa;
      for (std::size_t j = 0; j <= i; ++j)
        usual.v[packed(i, j)] = -2 * eta[d + packed(i, j)] - eta[i] * usual.mean[j];
    }
    return usual;
  }
  void set_natural(const Usual& usual, double* eta) const {
    for (std::size_t i = 0; i < d; ++i) {
      eta[i] = usual.kappa * usual.mean[i];
      for (std::size_t j = 0; j <= i; ++j)
        eta[d + packed(i, j)] = -0.5 * (usual.v[packed(i, j)] + usual.kappa * usual.mean[i] * usual.mean[j]);
    }
    eta[kappa_at()] = -0.5 * usual.kappa;
    eta[kappa_at() + 1] = 0.5 * (usual.nu - static_cast<double>(d));
  }
};

}  // namespace

FamilyPtr normal_wishart_family(std::size_t d) { return make_family(NormalWishart{d}); }

}  // namespace kullback::conjugate
