// The conjugate conditionals, one struct each; see conditional.hpp for what they compute. Parents come as
// pointers p[slot] to expected statistics.
#pragma once

#include <cmath>

#include "conjugate/families/symmetric.hpp"
#include "conjugate/graph/conditional.hpp"
#include "math/bessel_ratio.hpp"
#include "math/gamma_functions.hpp"

namespace kullback::conjugate {

using Slots = std::vector<Conditional::Slot>;

// log N = tau mu x - tau x^2/2 - (tau mu^2 - log tau)/2 - log(2 pi)/2; p[0] = (mu, mu^2), p[1] = (log tau,
// tau).
struct GaussianKernel {
  FamilyPtr child() const { return gaussian_family(); }
  Slots slots() const { return {{"mean", gaussian_family()}, {"precision", gamma_family()}}; }

  void natural(const double* const* p, double w, double* eta) const {
    eta[0] += w * p[1][1] * p[0][0];
    eta[1] -= 0.5 * w * p[1][1];
  }
  double log_partition(const double* const* p) const { return 0.5 * (p[1][1] * p[0][1] - p[1][0]); }
  double expected(const double* x, const double* const* p) const {
    return 0.5 * (p[1][0] - p[1][1] * square(x, p));
  }
  void message(std::size_t slot, const double* x, const double* const* p, double w, double* to) const {
    if (slot == 0) {
      to[0] += w * p[1][1] * x[0];
      to[1] -= 0.5 * w * p[1][1];
    } else {
      to[0] += 0.5 * w;
      to[1] -= 0.5 * w * square(x, p);
    }
  }

 private:
  static double square(const double* x, const double* const* p) {
    return x[1] - 2 * x[0] * p[0][0] + p[0][1];
  }
};

// p[0] = (tau mu, tau, tau mu^2, log tau).
struct GaussianJointKernel {
  FamilyPtr child() const { return gaussian_family(); }
  Slots slots() const { return {{"mean and precision", normal_gamma_family()}}; }

  void natural(const double* const* p, double w, double* eta) const {
    eta[0] += w * p[0][0];
    eta[1] -= 0.5 * w * p[0][1];
  }
  double log_partition(const double* const* p) const { return 0.5 * (p[0][2] - p[0][3]); }
  double expected(const double* x, const double* const* p) const {
    return p[0][0] * x[0] - 0.5 * p[0][1] * x[1] - log_partition(p);
  }
  void message(std::size_t, const double* x, const double* const*, double w, double* to) const {
    to[0] += w * x[0];
    to[1] -= 0.5 * w * x[1];
    to[2] -= 0.5 * w;
    to[3] += 0.5 * w;
  }
};

// log N = mu' L x - tr(L x x')/2 - (mu' L mu - log|L|)/2 - ...; p[0] = (mu, mu mu'), p[1] = (L, log|L|),
// where elements off the diagonals count twice.
struct MultivariateGaussianKernel {
  std::size_t d;

  FamilyPtr child() const { return multivariate_gaussian_family(d); }
  Slots slots() const {
    return {{"mean", multivariate_gaussian_family(d)}, {"precision", wishart_family(d)}};
  }

  void natural(const double* const* p, double w, double* eta) const { linear(p[0], p[1], w, eta); }
  double log_partition(const double* const* p) const {
    return 0.5 * (trace(p[1], p[0] + d) - p[1][triangle(d)]);
  }
  double expected(const double* x, const double* const* p) const {
    double cross = 0;
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j < d; ++j) cross += x[i] * precision(p[1], i, j) * p[0][j];
    return cross - 0.5 * trace(p[1], x + d) - log_partition(p);
  }
  void message(std::size_t slot, const double* x, const double* const* p, double w, double* to) const {
    if (slot == 0) return linear(x, p[1], w, to);
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        const double half = i == j ? 1 : 0.5;
        const std::size_t at = packed(i, j);
        to[at] -= 0.5 * w * (half * (x[d + at] + p[0][d + at]) - x[i] * p[0][j] - x[j] * p[0][i]);
      }
    }
    to[triangle(d)] += 0.5 * w;
  }

 private:
  static double precision(const double* l, std::size_t i, std::size_t j) {
    return i == j ? l[packed(i, i)] : 0.5 * l[packed_any(i, j)];
  }
  // tr(L M), both as statistics.
  double trace(const double* l, const double* m) const {
    double sum = 0;
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j <= i; ++j) sum += (i == j ? 1 : 0.5) * l[packed(i, j)] * m[packed(i, j)];
    return sum;
  }
  // Of the mean given x, or of x given the mean: (L m, -L/2).
  void linear(const double* m, const double* l, double w, double* eta) const {
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = 0; j < d; ++j) eta[i] += w * precision(l, i, j) * m[j];
      for (std::size_t j = 0; j <= i; ++j) eta[d + packed(i, j)] -= 0.5 * w * precision(l, i, j);
    }
  }
};

// Independent coordinates: p[0] = (mu, mu mu'), p[1] = (log tau_1, tau_1, log tau_2, ...).
struct MultivariateGaussianDiagonalKernel {
  std::size_t d;

  FamilyPtr child() const { return multivariate_gaussian_family(d); }
  Slots slots() const {
    return {{"mean", multivariate_gaussian_family(d)}, {"precisions", gamma_family(), d}};
  }

  void natural(const double* const* p, double w, double* eta) const { linear(p[0], p[1], w, eta); }
  double log_partition(const double* const* p) const {
    double sum = 0;
    for (std::size_t i = 0; i < d; ++i) sum += p[1][2 * i + 1] * p[0][d + packed(i, i)] - p[1][2 * i];
    return 0.5 * sum;
  }
  double expected(const double* x, const double* const* p) const {
    double sum = 0;
    for (std::size_t i = 0; i < d; ++i) sum += p[1][2 * i] - p[1][2 * i + 1] * square(i, x, p);
    return 0.5 * sum;
  }
  void message(std::size_t slot, const double* x, const double* const* p, double w, double* to) const {
    if (slot == 0) return linear(x, p[1], w, to);
    for (std::size_t i = 0; i < d; ++i) {
      to[2 * i] += 0.5 * w;
      to[2 * i + 1] -= 0.5 * w * square(i, x, p);
    }
  }

 private:
  double square(std::size_t i, const double* x, const double* const* p) const {
    return x[d + packed(i, i)] - 2 * x[i] * p[0][i] + p[0][d + packed(i, i)];
  }
  void linear(const double* m, const double* tau, double w, double* eta) const {
    for (std::size_t i = 0; i < d; ++i) {
      eta[i] += w * tau[2 * i + 1] * m[i];
      eta[d + packed(i, i)] -= 0.5 * w * tau[2 * i + 1];
    }
  }
};

// p[0] = (L mu, L, mu' L mu, log|L|).
struct MultivariateGaussianJointKernel {
  std::size_t d;

  FamilyPtr child() const { return multivariate_gaussian_family(d); }
  Slots slots() const { return {{"mean and precision", normal_wishart_family(d)}}; }

  void natural(const double* const* p, double w, double* eta) const {
    for (std::size_t i = 0; i < d; ++i) {
      eta[i] += w * p[0][i];
      for (std::size_t j = 0; j <= i; ++j) {
        const std::size_t at = d + packed(i, j);
        eta[at] -= (i == j ? 0.5 : 0.25) * w * p[0][at];
      }
    }
  }
  double log_partition(const double* const* p) const {
    return 0.5 * (p[0][d + triangle(d)] - p[0][d + triangle(d) + 1]);
  }
  double expected(const double* x, const double* const* p) const {
    double sum = 0;
    for (std::size_t i = 0; i < d; ++i) {
      sum += p[0][i] * x[i];
      for (std::size_t j = 0; j <= i; ++j) {
        const std::size_t at = d + packed(i, j);
        sum -= (i == j ? 0.5 : 0.25) * p[0][at] * x[at];
      }
    }
    return sum - log_partition(p);
  }
  void message(std::size_t, const double* x, const double* const*, double w, double* to) const {
    for (std::size_t i = 0; i < d; ++i) {
      to[i] += w * x[i];
      for (std::size_t j = 0; j <= i; ++j) {
        const std::size_t at = d + packed(i, j);
        to[at] -= (i == j ? 0.5 : 0.25) * w * x[at];
      }
    }
    to[d + triangle(d)] -= 0.5 * w;
    to[d + triangle(d) + 1] += 0.5 * w;
  }
};

// (a - 1) log x - b x + a log b - log Gamma(a); p[0] = (log b, b).
struct GammaKernel {
  double shape;
  double log_gamma = math::log_gamma(shape);

  FamilyPtr child() const { return gamma_family(); }
  Slots slots() const { return {{"rate", gamma_family()}}; }

  void natural(const double* const* p, double w, double* eta) const {
    eta[0] += w * (shape - 1);
    eta[1] -= w * p[0][1];
  }
  double log_partition(const double* const* p) const { return log_gamma - shape * p[0][0]; }
  double expected(const double* x, const double* const* p) const {
    return (shape - 1) * x[0] - p[0][1] * x[1] - log_partition(p);
  }
  void message(std::size_t, const double* x, const double* const*, double w, double* to) const {
    to[0] += w * shape;
    to[1] -= w * x[1];
  }
};

// x log p + (1 - x) log(1 - p); p[0] = (log p, log(1 - p)).
struct BernoulliKernel {
  FamilyPtr child() const { return bernoulli_family(); }
  Slots slots() const { return {{"probability", beta_family()}}; }

  void natural(const double* const* p, double w, double* eta) const { eta[0] += w * (p[0][0] - p[0][1]); }
  double log_partition(const double* const* p) const { return -p[0][1]; }
  double expected(const double* x, const double* const* p) const {
    return x[0] * p[0][0] + (1 - x[0]) * p[0][1];
  }
  void message(std::size_t, const double* x, const double* const*, double w, double* to) const {
    to[0] += w * x[0];
    to[1] += w * (1 - x[0]);
  }
};

// sum_i x_i log p_i; p[0] = log p. The log-partition of a normalised p is 0.
struct CategoricalKernel {
  std::size_t k;

  FamilyPtr child() const { return categorical_family(k); }
  Slots slots() const { return {{"probabilities", dirichlet_family(k)}}; }

  void natural(const double* const* p, double w, double* eta) const {
    for (std::size_t i = 0; i < k; ++i) eta[i] += w * p[0][i];
  }
  double log_partition(const double* const*) const { return 0; }
  double expected(const double* x, const double* const* p) const {
    double sum = 0;
    for (std::size_t i = 0; i < k; ++i) sum += x[i] * p[0][i];
    return sum;
  }
  void message(std::size_t, const double* x, const double* const*, double w, double* to) const {
    for (std::size_t i = 0; i < k; ++i) to[i] += w * x[i];
  }
};

// x[0] is the category: one number instead of k, one step instead of k.
struct ObservedCategoricalKernel {
  std::size_t k;

  FamilyPtr child() const { return categorical_family(k); }
  Slots slots() const { return {{"probabilities", dirichlet_family(k)}}; }

  void natural(const double* const* p, double w, double* eta) const {
    CategoricalKernel{k}.natural(p, w, eta);
  }
  double log_partition(const double* const*) const { return 0; }
  double expected(const double* x, const double* const* p) const {
    return p[0][static_cast<std::size_t>(x[0])];
  }
  void message(std::size_t, const double* x, const double* const*, double w, double* to) const {
    to[static_cast<std::size_t>(x[0])] += w;
  }
};

// Counts instead of one-hot statistics; the trials are only in log h.
struct MultinomialKernel : CategoricalKernel {
  FamilyPtr child() const { return multinomial_family(0, k); }
};

// x log r - r; p[0] = (log r, r).
struct PoissonKernel {
  FamilyPtr child() const { return poisson_family(); }
  Slots slots() const { return {{"rate", gamma_family()}}; }

  void natural(const double* const* p, double w, double* eta) const { eta[0] += w * p[0][0]; }
  double log_partition(const double* const* p) const { return p[0][1]; }
  double expected(const double* x, const double* const* p) const { return x[0] * p[0][0] - p[0][1]; }
  void message(std::size_t, const double* x, const double* const*, double w, double* to) const {
    to[0] += w * x[0];
    to[1] -= w;
  }
};

// kappa cos(x - m) - log(2 pi I_0(kappa)); p[0] = (cos m, sin m).
struct VonMisesKernel {
  double kappa;
  double log_norm = 1.8378770664093454836 + kappa + math::BesselRatio(kappa).log;

  FamilyPtr child() const { return von_mises_family(); }
  Slots slots() const { return {{"direction", von_mises_family()}}; }

  void natural(const double* const* p, double w, double* eta) const {
    eta[0] += w * kappa * p[0][0];
    eta[1] += w * kappa * p[0][1];
  }
  double log_partition(const double* const*) const { return log_norm; }
  double expected(const double* x, const double* const* p) const {
    return kappa * (x[0] * p[0][0] + x[1] * p[0][1]) - log_norm;
  }
  void message(std::size_t, const double* x, const double* const*, double w, double* to) const {
    to[0] += w * kappa * x[0];
    to[1] += w * kappa * x[1];
  }
};

// A prior without parents.
struct FixedKernel {
  FamilyPtr family;
  std::vector<double> eta0;
  double norm;

  FamilyPtr child() const { return family; }
  Slots slots() const { return {}; }

  void natural(const double* const*, double w, double* eta) const {
    for (std::size_t i = 0; i < eta0.size(); ++i) eta[i] += w * eta0[i];
  }
  double log_partition(const double* const*) const { return norm; }
  double expected(const double* x, const double* const*) const {
    double sum = -norm;
    for (std::size_t i = 0; i < eta0.size(); ++i) sum += x[i] * eta0[i];
    return sum;
  }
  void message(std::size_t, const double*, const double* const*, double, double*) const {}
};

}  // namespace kullback::conjugate
