// The Gaussian with the largest ELBO on several paths of Pathfinder, for starts of particles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "infer/algorithm.hpp"
#include "infer/optimize/path.hpp"

namespace kullback::infer {

// The first path begins at the start, the others at random points.
class BestPath final {
 public:
  BestPath(density::LogDensity& density, const Options& options, const Start& start);

  // An iteration of a path; false where all have ended: nothing was done.
  bool step();

  bool has_gaussian() const { return has_gaussian_; }
  const LowRankGaussian& gaussian() const { return gaussian_; }
  const std::vector<double>& mode() const { return mode_; }  // where its path ended
  std::uint64_t gradients() const { return gradients_ + (path_ ? path_->lbfgs().gradients() : 0); }
  const std::string& why_not() const { return why_not_; }  // of the last path without a Gaussian

  void archive(Archive& archive);

 private:
  void end_path();
  void begin_path();

  density::LogDensity& density_;
  const Options& options_;
  const Start& start_;
  std::optional<Path> path_;
  std::uint64_t number_ = 0;  // of the path; all of them: they have ended
  std::uint64_t gradients_ = 0;
  bool has_gaussian_ = false;
  double elbo_ = 0;
  LowRankGaussian gaussian_;
  std::vector<double> mode_;
  std::string why_not_;
};

}  // namespace kullback::infer
