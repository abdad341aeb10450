// Divergences between distributions on the line that are given by their log densities, by adaptive
// quadrature. For the conventions see stats/divergence.hpp.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>

namespace kullback::stats {

// A normalised density on (lower, upper); -inf is a density of 0. `center` and `scale` say roughly where its
// mass lies; where they are far off (by more than about 1000 scales), the density is seen not to integrate
// to 1.
struct Density {
  std::function<double(double)> log_density;
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  double center = 0;
  double scale = 1;
};

struct QuadratureOptions {
  double tolerance = 1e-10;  // relative, of the integral
  double absolute_tolerance = 1e-14;
  std::size_t max_evaluations = 200000;
};

struct Integral {
  double value = 0;
  double error = 0;  // estimated from two rules; usually far too large
};

// First p and q themselves are integrated: where one is not 1 within 1e-6, or an integral does not reach the
// tolerance, an Error of kind bad_input says so. Infinite where p > 0 = q asks for it, or where the integrand
// overflows in a tail; an integral that diverges more slowly does not converge, and is an Error.
Integral kl_divergence(const Density& p, const Density& q, const QuadratureOptions& options = {});
Integral renyi_divergence(const Density& p, const Density& q, double order,
                          const QuadratureOptions& options = {});  // any finite order but 0
Integral alpha_divergence(const Density& p, const Density& q, double alpha,
                          const QuadratureOptions& options = {});
Integral beta_divergence(const Density& p, const Density& q, double beta,
                         const QuadratureOptions& options = {});
Integral chi_divergence(const Density& p, const Density& q, double order = 2,
                        const QuadratureOptions& options = {});
Integral hellinger_distance(const Density& p, const Density& q, const QuadratureOptions& options = {});
Integral cauchy_schwarz_divergence(const Density& p, const Density& q, const QuadratureOptions& options = {});
Integral total_variation(const Density& p, const Density& q, const QuadratureOptions& options = {});
Integral jensen_shannon_divergence(const Density& p, const Density& q, const QuadratureOptions& options = {});

}  // namespace kullback::stats
