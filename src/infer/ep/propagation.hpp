// Expectation propagation itself: from a first Gaussian to sites whose tilted moments agree with the joint
// approximation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "density/log_density.hpp"
#include "infer/archive.hpp"
#include "infer/ep/frames.hpp"
#include "infer/ep/gaussian.hpp"
#include "infer/ep/scaled_terms.hpp"
#include "infer/ep/sites.hpp"
#include "infer/ep/tilted.hpp"

namespace kullback::infer {

struct PropagationOptions {
  double power = 1;    // 1: expectation propagation; towards 0: variational inference
  double damping = 1;  // at most this part of an update is made
  FrameSeed seed = {};
};

// A Gaussian in theta: mean, and a root of the covariance, column after column.
struct FirstGaussian {
  std::vector<double> mean;
  std::vector<double> root;
};

// What a sweep found.
struct Sweep {
  double change = 0;         // largest change of a mean or a variance that the updates asked for, in sd
  std::size_t improper = 0;  // sites with a cavity that is not a proper Gaussian
  std::size_t failed = 0;    // sites without moments: left as they were
  double step = 0;           // part of the updates that was made; 0: none keeps the approximation proper
  double log_evidence = 0;   // of the approximation before the sweep
};

class Propagation final {
 public:
  // Looks at the terms, around the first Gaussian. Throws Error where a term depends on too many directions.
  // The terms must outlive the object.
  Propagation(density::Terms& terms, const FirstGaussian& first, const PropagationOptions& options);

  // The sites' first values: quadratic fits to the terms. False where their product is not proper.
  bool start();
  Sweep sweep();

  std::size_t sites() const { return sites_.all.size(); }
  // The most directions that the terms of a site depend on.
  std::size_t largest_rank() const;
  // One term depends on all coordinates, too many for a lattice: there is nothing to propagate between.
  bool is_one_term() const;
  std::uint64_t points() const { return terms_.points(); }

  // The approximation.
  std::vector<double> mean() const;                                      // of theta
  std::vector<double> covariance() const;                                // of theta, dim * dim
  std::vector<double> draw(const std::vector<double>& normals) const;    // theta from dim numbers
  double log_density_of_draw(const std::vector<double>& normals) const;  // of that theta

  void archive(Archive& archive);

 private:
  struct Update {
    NaturalGaussian by;  // of the site, in its directions
    double change = 0;
    bool is_made = false;
  };

  template <class Sums, class Make>
  std::vector<Sums> integrate(const std::vector<SiteView>& views, const JointGaussian& joint, Make make);
  std::vector<SiteView> views(const JointGaussian& joint) const;
  Update update_of(const SiteView& view, const Moments& moments, std::size_t rank) const;
  double apply(const std::vector<Update>& updates, double step);
  double distance(const JointGaussian& other) const;
  double log_evidence(double log_masses) const;

  std::vector<double> center_;
  std::vector<double> scale_;
  ScaledTerms terms_;
  PropagationOptions options_;
  Sites sites_;
  JointGaussian joint_;
  double step_ = 1;
  double last_change_ = 0;  // 0: none yet
};

}  // namespace kullback::infer
