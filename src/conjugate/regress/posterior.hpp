// q of the coefficients w of a regression and of what belongs to them. To it a likelihood is a quadratic,
//   n/2 log tau - tau (s - 2 r'w + w'Gw) / 2,
// with the noise precision tau of a linear model; in a logistic one tau is known to be 1, and G and r come
// from Jaakkola and Jordan's bound. w[0] is the intercept.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "conjugate/model.hpp"

namespace kullback::conjugate::regress {

enum class Prior { gaussian, ridge, ard, spike_slab };

struct Gamma {
  double shape = 0;
  double rate = 0;
};

// Precisions are multiples of tau: w_j | tau ~ N(0, 1 / (tau precision)).
struct PriorChoice {
  Prior prior = Prior::gaussian;
  std::size_t size = 0;  // of w
  double precision = 0;  // of all but the intercept; 0: learned, with the prior `precisions`
  double intercept_precision = 0;
  Gamma precisions = {};
  Gamma noise = {};  // of tau
  bool knows_noise = false;
  double inclusion = 0;  // of spike and slab; 0: learned, uniform before
};

// G(i, j), j <= i, is gram[i (i + 1) / 2 + j].
struct Likelihood {
  double rows = 0;
  double squares = 0;
  std::span<const double> gram = {};
  std::span<const double> moments = {};
};
// The expected sum of squares at E w = mean without the part of the covariance: s - 2 r'm + m'Gm.
double residual_squares(const Likelihood& data, std::span<const double> mean);

// The squared scale of x'w is |F x|^2; F is lower triangular and packed as G is, or a diagonal.
struct Spread {
  bool is_diagonal = false;
  std::vector<double> factor = {};
};
double squared_scale(const Spread& spread, std::span<const double> x);

class Posterior {
 public:
  virtual ~Posterior() = default;

  // `tau` is read where the noise is known, `rows` is how many the data have.
  virtual void begin(double tau, double rows, Random& random) = 0;
  virtual void prepare() = 0;
  virtual std::size_t blocks() const = 0;
  virtual void update(std::size_t block, const Likelihood& data, Mover& mover) = 0;
  virtual std::span<double> natural(std::size_t block) = 0;
  virtual std::vector<double> mean_parameters(std::size_t block) const = 0;
  // E log likelihood as written above, and minus all divergences from the prior.
  virtual Terms bound(const Likelihood& data) const = 0;
  virtual void adopt_as_prior() = 0;
  virtual void add_state(std::vector<double>& state) const = 0;
  // Takes its numbers off the front.
  virtual void take_state(std::span<const double>& state) = 0;

  virtual std::span<const double> mean() const = 0;
  virtual const Spread& spread() const = 0;
  // x'w / scale is Student's t with so many degrees; infinite: normal.
  virtual double degrees() const = 0;
  virtual double quantile(std::size_t coefficient, double probability) const = 0;
  virtual Gamma noise() const = 0;
  virtual double expected_tau() const = 0;
  // How much of each coefficient the data decide, between 0 and 1: one minus the ratio of posterior to prior
  // variance; the probability of inclusion.
  virtual std::vector<double> determined() const = 0;
  // E of learned precisions: none, one, or one for each column.
  virtual std::vector<double> expected_precisions() const = 0;
};

std::unique_ptr<Posterior> make_dense(const PriorChoice& choice);
std::unique_ptr<Posterior> make_spike_slab(const PriorChoice& choice);

}  // namespace kullback::conjugate::regress
