// A family of approximations q(theta; lambda): draws, log q and derivatives to lambda, many draws at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "density/log_density.hpp"
#include "infer/gaussian_guess.hpp"
#include "infer/options.hpp"

namespace kullback::infer {

// What a family can do beside drawing. What it lacks decides which objectives and estimators are refused.
struct Abilities {
  bool log_q = true;  // of its own draws
  // log q of a draw is that of a surrogate made with further noise: p / q are proper weights and bounds
  // remain bounds, but gradients are unbiased for the surrogate only.
  bool log_q_is_surrogate = false;
  bool log_q_at = true;         // evaluate() and score(): at any point
  bool slopes = true;           // slopes_of_draws(): for estimators without the score term
  bool reparameterised = true;  // pull_back(): draws are differentiable in lambda
  bool entropy = false;         // entropy() in closed form
  bool moments = false;         // moments() in closed form
  bool is_identified = true;    // q says what lambda is; not so with weights of nets
  bool is_gaussian = false;     // gaussian_of() and set_gaussian(): closed under the updates of Gaussians
};

// K draws from noise, lanes innermost as in density::Batch.
struct DrawBatch {
  std::size_t lanes = 1;
  const double* noise = nullptr;  // noise() * lanes, independent and standard normal
  double* theta = nullptr;        // dim() * lanes
  double* log_q = nullptr;        // lanes; null: not wanted
};

// K given points.
struct PointBatch {
  std::size_t lanes = 1;
  const double* theta = nullptr;  // dim() * lanes
  double* log_q = nullptr;        // lanes
  double* slopes = nullptr;       // d log q / d theta, dim() * lanes; null: not wanted
};

// What a scalar's derivatives to K draws and to their log q are.
struct DrawAdjoint {
  std::size_t lanes = 1;
  const double* theta = nullptr;  // dim() * lanes
  const double* log_q = nullptr;  // lanes; null: zeros
};

// Factors of a family that factorises: which coordinates and which parameters belong to each.
struct Factors {
  std::size_t count = 0;                     // 0: the family does not factorise
  std::vector<std::uint32_t> of_coordinate;  // dim()
  std::vector<std::uint32_t> of_parameter;   // parameters()
};

// Objects hold the structure and memory to work in, not lambda: calls of one object must not overlap in time.
class Family {
 public:
  virtual ~Family() = default;

  virtual std::size_t dim() const = 0;
  virtual std::size_t parameters() const = 0;  // numbers in lambda, all of them unconstrained
  virtual std::size_t noise() const = 0;       // standard normal numbers that make one draw
  virtual Abilities abilities() const = 0;

  // lambda near the guess. `seed` breaks symmetries (hidden units, components); no other randomness.
  virtual void begin(const GaussianGuess& guess, std::uint64_t seed, std::span<double> lambda) const = 0;

  // Units of the parameters: a step of one unit changes q by about as much in each of them. In a Gaussian the
  // unit of a mean is its standard deviation, that of a log scale 1. Optimisers step in these units.
  virtual void units(std::span<const double> lambda, std::span<double> result) const;

  // Keeps what pull_back() and slopes_of_draws() need.
  virtual void draw(std::span<const double> lambda, const DrawBatch& batch) = 0;
  // Adds sum_k theta_adjoint_k . d theta_k / d lambda + log_q_adjoint_k d log q(theta_k(lambda); lambda) / d
  // lambda, at fixed noise, for the draws last made (with the same lambda). The second is the total
  // derivative, through theta and direct.
  virtual void pull_back(std::span<const double> lambda, const DrawAdjoint& adjoint,
                         std::span<double> lambda_adjoint) = 0;
  // d log q / d theta (lambda held) at the draws last made: dim() * lanes.
  virtual void slopes_of_draws(std::span<const double> lambda, double* slopes) = 0;

  virtual void evaluate(std::span<const double> lambda, const PointBatch& batch) = 0;
  // Adds sum_k weights_k d log q(theta_k; lambda) / d lambda, theta held. batch.log_q and slopes are not
  // read.
  virtual void score(std::span<const double> lambda, const PointBatch& batch, const double* weights,
                     std::span<double> lambda_adjoint) = 0;
  // The score of each point: parameters() * lanes. Through score(), point by point, unless a family is
  // quicker.
  virtual void scores(std::span<const double> lambda, const PointBatch& batch, double* result);

  // Factorised families: log q of each factor, factors * lanes.
  virtual Factors factors() const { return {}; }
  virtual void factor_log_q(std::span<const double> lambda, const PointBatch& batch, double* result);

  // In closed form; adds scale * d entropy / d lambda where `lambda_adjoint` is not empty.
  virtual double entropy(std::span<const double> lambda, double scale,
                         std::span<double> lambda_adjoint) const;
  // Means and standard deviations of theta: dim() each.
  virtual void moments(std::span<const double> lambda, std::span<double> mean, std::span<double> sd) const;

  // Of Gaussian families. set_gaussian() takes the member with the least KL(member || g), which for mean
  // field has the precisions of g.
  virtual GaussianGuess gaussian_of(std::span<const double> lambda) const;
  virtual void set_gaussian(const GaussianGuess& gaussian, std::span<double> lambda) const;
};

// What a family is made for.
struct FamilySetting {
  std::size_t dim = 0;
  std::span<const density::Block> blocks = {};      // empty: not known
  std::span<const density::Support> supports = {};  // empty: all real
  const Options* options = nullptr;
};

struct FamilyRecord {
  std::string_view name;     // on the command line: "meanfield"
  std::string_view summary;  // one clause
  std::string_view citation;
  OptionTable options = {};  // that it reads
  // Affine maps of a member are members: then it is fitted in the coordinates in which the start is standard
  // normal, whatever the scales and correlations of theta.
  bool is_affine = false;
  // Throws Error usage where the model has nothing that the family is for.
  std::unique_ptr<Family> (*make)(const FamilySetting& setting);
};

// In the order of infer/vi/families.def.
std::span<const FamilyRecord* const> families();
// Throws Error usage that lists the names.
const FamilyRecord& find_family(std::string_view name);

}  // namespace kullback::infer
