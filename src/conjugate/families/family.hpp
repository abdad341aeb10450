// Exponential families as values. With natural parameters eta, sufficient statistics t and base measure h
//   p(x) = h(x) exp(<eta, t(x)> - A(eta)),   E t = grad A,
// a Bayesian update adds to eta, a coordinate update of variational inference sets it, and a natural-gradient
// step moves it: target - eta is the gradient of the bound in the mean parameters E t.
//
// All arrays hold one or many independent points, one after another: natural parameters of n points are
// n * dim() numbers, and log-partitions, entropies and divergences are sums over the points. A diagonal
// Gaussian is `gaussian_family()` at d points, d normals with unknown precisions are `normal_gamma_family()`
// at d points, and a plate of a graph is stored the same way.
//
// A symmetric matrix appears by its lower triangle, row after row. Natural parameters hold its elements as
// they are, statistics hold the others than the diagonal twice, so that the inner product is a trace.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace kullback::conjugate {

class Family {
 public:
  virtual ~Family() = default;

  virtual std::string name() const = 0;   // "gaussian", "dirichlet(3)"
  virtual std::size_t dim() const = 0;    // natural parameters of one point
  virtual std::size_t width() const = 0;  // numbers of one x
  // The usual parameters, matrices whole and row after row: "shape", "rate".
  virtual std::vector<std::string> parameter_names() const = 0;
  std::size_t points(std::span<const double> natural) const { return natural.size() / dim(); }

  // What is wrong with the first point outside the domain, as a clause; empty where all are inside.
  virtual std::string fault(std::span<const double> natural) const = 0;
  virtual std::string value_fault(std::span<const double> x) const = 0;

  virtual void statistics(std::span<const double> x, std::span<double> t) const = 0;
  virtual double log_base(std::span<const double> x) const = 0;
  virtual double expected_log_base(std::span<const double> natural) const = 0;
  virtual double log_partition(std::span<const double> natural) const = 0;
  virtual void mean(std::span<const double> natural, std::span<double> mean) const = 0;
  // The inverse of `mean`; what is wrong with the means where no member has them, else empty.
  virtual std::string natural_of_mean(std::span<const double> mean, std::span<double> natural) const = 0;
  virtual void parameters(std::span<const double> natural, std::span<double> parameters) const = 0;
  virtual void natural_of_parameters(std::span<const double> parameters, std::span<double> natural) const = 0;
};

using FamilyPtr = std::shared_ptr<const Family>;

// x                          natural parameters                    statistics                     parameters
FamilyPtr
gaussian_family();  // (m p, -p/2)                        (x, x^2)                       mean, precision
FamilyPtr multivariate_gaussian_family(
    std::size_t d);        // (P m, -P/2)  (x, x x')                 mean, precision
FamilyPtr gamma_family();  // (a - 1, -b)                        (log x, x)                     shape, rate
FamilyPtr beta_family();   // (a - 1, b - 1)                     (log x, log(1 - x))            a, b
FamilyPtr dirichlet_family(std::size_t k);  // alpha - 1            log x                          alpha
FamilyPtr bernoulli_family();  // log p/(1 - p)                     x                              p
// x is a number from 0; any multiples of the probabilities give the same member.
FamilyPtr categorical_family(std::size_t k);  // log p              one-hot                        p
// trials = 0: counts of any number of trials, as observations only.
FamilyPtr multinomial_family(std::size_t trials, std::size_t k);  // log p  counts                 p
FamilyPtr poisson_family();  // log rate                          x                              rate
FamilyPtr
von_mises_family();  // kappa (cos m, sin m)              (cos x, sin x)                 direction, kappa
// x = (mu, tau), tau ~ gamma(a, b), mu ~ N(m, precision kappa tau).
//   natural (kappa m, -b - kappa m^2/2, -kappa/2, a - 1/2), statistics (tau mu, tau, tau mu^2, log tau);
//   parameters mean, kappa, shape, rate
FamilyPtr normal_gamma_family();
// x a precision matrix, density |x|^((nu-d-1)/2) exp(-tr(V x)/2), E x = nu V^-1.
//   natural (-V/2, (nu - d - 1)/2), statistics (x, log|x|); parameters degrees nu, inverse scale V
FamilyPtr wishart_family(std::size_t d);
// x = (mu, L), L ~ Wishart(nu, V), mu ~ N(m, precision kappa L).
//   natural (kappa m, -(V + kappa m m')/2, -kappa/2, (nu - d)/2), statistics (L mu, L, mu' L mu, log|L|);
//   parameters mean, kappa, degrees nu, inverse scale V
FamilyPtr normal_wishart_family(std::size_t d);

// A member of a family, or several independent ones: a value.
class Distribution final {
 public:
  // Errors where the natural parameters are outside the domain or of the wrong number.
  Distribution(FamilyPtr family, std::vector<double> natural);
  static Distribution of_parameters(FamilyPtr family, std::span<const double> parameters);
  static Distribution of_mean(FamilyPtr family, std::span<const double> mean);

  const Family& family() const { return *family_; }
  const FamilyPtr& family_ptr() const { return family_; }
  std::size_t points() const { return family_->points(natural_); }
  Distribution point(std::size_t index) const;

  const std::vector<double>& natural() const { return natural_; }
  std::vector<double> mean() const;  // E t(x)
  std::vector<double> parameters() const;
  double log_partition() const { return family_->log_partition(natural_); }
  double entropy() const;
  double log_density(std::span<const double> x) const;  // an Error outside the support

  // The conjugate update: natural + statistics. `statistics` is what a likelihood says of x in the
  // coordinates of these natural parameters (conditional.hpp computes it).
  Distribution updated(std::span<const double> statistics) const;
  // A natural-gradient step: (1 - rho) natural + rho target. Domains are convex: 0 <= rho <= 1 stays inside.
  Distribution stepped(const Distribution& target, double rho) const;

 private:
  FamilyPtr family_;
  std::vector<double> natural_;
};

// KL(q, p) = E_q log(q / p), of two members of one family.
double kl_divergence(const Distribution& q, const Distribution& p);

}  // namespace kullback::conjugate
