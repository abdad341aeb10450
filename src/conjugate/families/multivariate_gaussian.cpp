// N(m, precision P) in d dimensions: natural (P m, -P/2), statistics (x, x x'), log h = -d log(2 pi)/2,
//   A = m' P m / 2 - log|P| / 2,   E x x' = P^-1 + m m'.
#include "conjugate/families/family_of.hpp"
#include "conjugate/families/faults.hpp"
#include "conjugate/families/symmetric.hpp"

namespace kullback::conjugate {
namespace {

struct MultivariateGaussian {
  std::size_t d;

  std::string name() const { return fmt::format("multivariate gaussian({})", d); }
  std::size_t dim() const { return d + triangle(d); }
  std::size_t width() const { return d; }
  std::vector<std::string> parameter_names() const {
    std::vector<std::string> names;
    add_names(names, "mean", d);
    add_matrix_names(names, "precision", d);
    return names;
  }

  std::string fault(const double* eta) const {
    for (std::size_t i = 0; i < d; ++i)
      if (!std::isfinite(eta[i])) return finite_fault("precision times the mean", eta[i]);
    return factor(eta) ? std::string() : definite_fault("precision");
  }
  std::string value_fault(const double* x) const {
    for (std::size_t i = 0; i < d; ++i)
      if (!std::isfinite(x[i])) return finite_fault("value", x[i]);
    return {};
  }
  void statistics(const double* x, double* t) const {
    for (std::size_t i = 0; i < d; ++i) {
      t[i] = x[i];
      for (std::size_t j = 0; j < i; ++j) t[d + packed(i, j)] = 2 * x[i] * x[j];
      t[d + packed(i, i)] = x[i] * x[i];
    }
  }
  double log_base(const double*) const { return -kHalfLogTwoPi * static_cast<double>(d); }
  double expected_log_base(const double*) const { return log_base(nullptr); }

  double log_partition(const double* eta) const {
    factor(eta);
    std::vector<double>& m = scratch();
    shared_cholesky().solve(eta, m.data());
    double square = 0;
    for (std::size_t i = 0; i < d; ++i) square += eta[i] * m[i];
    return 0.5 * square - 0.5 * shared_cholesky().log_determinant();
  }
  void mean(const double* eta, double* m) const {
    factor(eta);
    shared_cholesky().solve(eta, m);
    shared_cholesky().inverse(m + d);
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j <= i; ++j) m[d + packed(i, j)] += m[i] * m[j];
    scale_off_diagonal(d, 2, m + d);
  }
  std::string natural_of_mean(const double* m, double* eta) const {
    std::vector<double> covariance(m + d, m + dim());
    scale_off_diagonal(d, 0.5, covariance.data());
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j <= i; ++j) covariance[packed(i, j)] -= m[i] * m[j];
    if (!shared_cholesky().factor(d, covariance.data()))
      return mean_fault("E x x' - E x E x' must be positive definite");
    shared_cholesky().solve(m, eta);
    shared_cholesky().inverse(eta + d);
    for (std::size_t i = d; i < dim(); ++i) eta[i] *= -0.5;
    return {};
  }
  void parameters(const double* eta, double* p) const {
    factor(eta);
    shared_cholesky().solve(eta, p);
    unpack(d, eta + d, -2, p + d);
  }
  void natural_of_parameters(const double* p, double* eta) const {
    for (std::size_t i = 0; i < d; ++i) {
      eta[i] = 0;
      for (std::size_t j = 0; j < d; ++j) eta[i] += p[d + i * d + j] * p[j];
    }
    pack(d, p + d, -0.5, eta + d);
  }

 private:
  bool factor(const double* eta) const { return shared_cholesky().factor(d, eta + d, -2); }
  std::vector<double>& scratch() const {
    thread_local std::vector<double> numbers;
    numbers.resize(d);
    return numbers;
  }
};

}  // namespace

FamilyPtr multivariate_gaussian_family(std::size_t d) { return make_family(MultivariateGaussian{d}); }

}  // namespace kullback::conjugate
