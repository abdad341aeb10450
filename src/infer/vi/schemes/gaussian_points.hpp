// Points of a Gaussian q at which a log density and its gradient are known, with weights that make means
// over q of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "density/log_density.hpp"
#include "infer/archive.hpp"
#include "infer/vi/family.hpp"

namespace kullback::infer {

// Standard normal z in lanes (coordinate i of point k at z[i * lanes + k]) and weights with sum 1:
// E[f(z)] is estimated by sum_k weights_k f(z_k).
struct NormalPoints {
  std::size_t lanes = 0;
  std::vector<double> z;
  std::vector<double> weights;
  std::size_t unit = 1;  // so many neighbours are one random unit, independent of the others; 0: not known
};

// `rotations` times 2 dim + 1 points: 0 and the ends of randomly rotated axes of random length. The estimate
// is unbiased, and exact for polynomials up to the third degree (Genz and Monahan 1998).
NormalPoints spherical_radial_points(std::size_t dim, std::size_t rotations, Random random);
// Independent pairs z, -z with equal weights.
NormalPoints antithetic_points(std::size_t dim, std::size_t lanes, Random random);
NormalPoints independent_points(std::size_t dim, std::size_t lanes, Random random);

// theta = mean + L z with the log density and u = L' gradient, the gradient to z.
class ScoredPoints final {
 public:
  explicit ScoredPoints(density::LogDensity& density) : density_(density) {}

  // Points at which the density is not finite are left out, and the others get equal weights. False where
  // more than a quarter are: nothing of it may be used.
  bool evaluate(const GaussianGuess& gaussian, NormalPoints points);

  std::size_t lanes() const { return points_.lanes; }
  const NormalPoints& points() const { return points_; }
  std::span<const double> theta() const { return theta_; }
  std::span<const double> log_p() const { return log_p_; }
  std::span<const double> gradient() const { return gradient_; }
  const std::vector<double>& white_gradient() const { return white_; }
  bool is_whole() const { return is_whole_; }  // nothing was left out

  std::uint64_t gradients() const { return gradients_; }   // evaluations so far
  const std::string& message() const { return message_; }  // of the last point that was not finite

  void archive(Archive& archive);

 private:
  void place(const GaussianGuess& gaussian);
  void whiten(const GaussianGuess& gaussian);
  void leave_out(const std::vector<std::size_t>& good);

  density::LogDensity& density_;
  NormalPoints points_;
  std::vector<double> theta_;
  std::vector<double> log_p_;
  std::vector<double> gradient_;
  std::vector<double> white_;
  std::vector<density::Status> status_;
  bool is_whole_ = true;
  std::uint64_t gradients_ = 0;
  std::string message_;
};

}  // namespace kullback::infer
