// The search for a mode that the methods `optimize` and `laplace` share: L-BFGS, then the curvature where it
// stopped, Newton steps as long as they gain, and what all this says against the point being a mode.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/finding.hpp"
#include "infer/archive.hpp"
#include "infer/optimize/hessian.hpp"
#include "infer/optimize/lbfgs.hpp"

namespace kullback::infer {

class ModeSearch final {
 public:
  // The curvature is not computed where there are more than `max_hessian_dim` coordinates.
  ModeSearch(density::LogDensity& density, const Options& options, std::vector<double> start,
             std::size_t max_hessian_dim);

  // An iteration, or some columns of the Hessian; false where it has finished: nothing was done.
  bool step();

  const Lbfgs& lbfgs() const { return lbfgs_; }
  const std::vector<double>& theta() const { return theta_; }
  double log_density() const { return log_density_; }
  double value() const;  // where the search is; NaN before its first step
  std::uint64_t gradients() const { return lbfgs_.gradients() + hessian_.gradients() + more_gradients_; }
  // Null until the search has finished, and where it could not be computed.
  const Curvature* curvature() const { return curvature_ ? &*curvature_ : nullptr; }
  // Once the search has finished.
  bool is_unbounded() const;
  const Findings& findings() const { return findings_; }

  void archive(Archive& archive);

 private:
  enum class Phase : std::uint64_t { climbing, curving, done };

  void after_climbing();
  void after_curving();
  bool leap();
  void finish();
  void judge();
  bool wants_curvature() const;
  void newton_step();
  double gain() const;
  bool has_run_away() const;
  void find_stop();
  void find_curvature();
  void find_flatness();

  density::LogDensity& density_;
  std::size_t max_hessian_dim_;
  Lbfgs lbfgs_;
  Phase phase_ = Phase::climbing;
  std::vector<double> theta_;
  std::vector<double> gradient_;
  double log_density_ = 0;
  std::uint64_t more_gradients_ = 0;
  std::uint64_t leaps_ = 0;
  std::uint64_t escapes_ = 0;
  Hessian hessian_;
  bool has_hessian_ = false;  // complete and finite
  std::optional<Curvature> curvature_;
  Findings findings_;
};

}  // namespace kullback::infer
