// Divergences in closed form. For the conventions see stats/divergence.hpp.
//
// All but total variation and Jensen-Shannon are sums of non-negative terms: they keep their relative
// accuracy (1e-12 and better) where p is nearly q and where an order tends to a limit.
#pragma once

#include <concepts>
#include <span>
#include <vector>

namespace kullback::stats {

struct Normal {
  double mean = 0;
  double sd = 1;
};
struct Gaussian {
  std::vector<double> mean;
  std::vector<double> covariance;  // row after row; symmetric, positive definite
};
struct Exponential {
  double rate = 1;
};
struct Gamma {
  double shape = 1;
  double rate = 1;
};
struct Beta {
  double a = 1;
  double b = 1;
};
struct Dirichlet {
  std::vector<double> concentration;
};
struct Poisson {
  double mean = 1;
};
// On 0, 1, 2...: probabilities that sum to 1 within 1e-8 (what is left is divided out). Zeros are allowed.
struct Discrete {
  std::vector<double> probabilities;
};

template <class P>
concept OnTheLine = std::same_as<P, Normal> || std::same_as<P, Exponential> || std::same_as<P, Gamma> ||
                    std::same_as<P, Beta> || std::same_as<P, Poisson> || std::same_as<P, Discrete>;
template <class P>
concept Family = OnTheLine<P> || std::same_as<P, Gaussian> || std::same_as<P, Dirichlet>;

template <Family P>
double kl_divergence(const P& p, const P& q);
// KL(p, q) + KL(q, p).
template <Family P>
double jeffreys_divergence(const P& p, const P& q);
// Any order, infinite ones too.
template <Family P>
double renyi_divergence(const P& p, const P& q, double order);
template <Family P>
double alpha_divergence(const P& p, const P& q, double alpha);
// Amari's order of our alpha; it is its own inverse but for the scale: alpha = (1 - amari_order(alpha)) / 2.
constexpr double amari_order(double alpha) { return 1 - 2 * alpha; }
// Of densities it depends on the units of x. For b <= -1 it is infinite unless p = q, but for Discrete.
// Poisson: by summation, b >= 0.
template <Family P>
double beta_divergence(const P& p, const P& q, double beta);
template <Family P>
double chi_divergence(const P& p, const P& q, double order = 2);
template <Family P>
double hellinger_distance(const P& p, const P& q);
template <Family P>
double bhattacharyya_distance(const P& p, const P& q);
// Infinite where a density is not square integrable, unless p = q.
template <Family P>
double cauchy_schwarz_divergence(const P& p, const P& q);

// From distribution functions and the points where the densities cross; of probabilities by summation.
template <OnTheLine P>
double total_variation(const P& p, const P& q);
// Of Gaussians in closed form where the covariances are equal; otherwise an Error of kind usage.
double total_variation(const Gaussian& p, const Gaussian& q);
// By quadrature or summation, to 1e-10 relative.
template <OnTheLine P>
double jensen_shannon_divergence(const P& p, const P& q);

// Of order 1, 2 in closed form; others by quadrature.
double wasserstein(const Normal& p, const Normal& q, double order = 2);
double wasserstein(const Exponential& p, const Exponential& q, double order = 2);
// Of order 2: Bures's distance. Covariances need only be positive semidefinite. Where the covariances are
// nearly equal it is known to 1e-8 of the standard deviations.
double wasserstein(const Gaussian& p, const Gaussian& q);

// With the kernel exp(-|x - y|^2 / (2 length_scale^2)).
double mmd_squared(const Gaussian& p, const Gaussian& q, double length_scale);

}  // namespace kullback::stats
