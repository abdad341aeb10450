// Schemes that update a Gaussian from the scores of its own draws: what they share is undoing steps that
// failed, averaging iterates, and knowing when to stop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/random.hpp"
#include "infer/archive.hpp"
#include "infer/vi/scheme.hpp"
#include "infer/vi/schemes/gaussian_points.hpp"

namespace kullback::infer {

// The place of an update in the run.
struct UpdateContext {
  double caution = 1;       // in (0, 1]: falls after failures; multiplies the length of a step
  std::uint64_t steps = 0;  // so far
  std::uint64_t rank = 1;   // of the updates since the iterates stand still; 1 while they move
};

class GaussianUpdate {
 public:
  virtual ~GaussianUpdate() = default;

  virtual NormalPoints points(std::size_t dim, Random random) const = 0;
  // The next Gaussian; false where there is none.
  virtual bool update(const GaussianGuess& now, const ScoredPoints& points, const UpdateContext& context,
                      GaussianGuess& next) = 0;
  virtual Bias bias() const = 0;
  // A step that lowers the ELBO by more than its error is undone.
  virtual bool climbs_elbo() const = 0;
  // Steps of length 1 / rank average the noise away; else iterates are averaged.
  virtual bool averages_itself() const = 0;
};

// How far `next` is from `now` as `now` sees it.
struct GaussianMove {
  double divergence = 0;     // KL(next || now)
  double largest_shift = 0;  // of a mean, in standard deviations
};
GaussianMove move_between(const GaussianGuess& now, const GaussianGuess& next);

std::unique_ptr<Scheme> make_gaussian_scheme(const SchemeSetting& setting,
                                             std::unique_ptr<GaussianUpdate> update);

// What a family can hold of Gaussians.
enum class GaussianShape : unsigned char {
  none,        // it is no Gaussian
  dense,       // any covariance
  restricted,  // precisions that are 0 between blocks
  other,
};
GaussianShape shape_of(const Family& family);

}  // namespace kullback::infer
