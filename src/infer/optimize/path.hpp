// One path of Pathfinder: an L-BFGS path, and the Gaussian along it with the largest ELBO.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "density/log_density.hpp"
#include "infer/archive.hpp"
#include "infer/optimize/lbfgs.hpp"
#include "infer/optimize/low_rank_gaussian.hpp"
#include "infer/options.hpp"

namespace kullback::infer {

// Names the random streams of a path.
struct PathName {
  std::uint64_t seed = 0;
  std::uint32_t number = 0;
};

// Mean of log p - log q over `count` draws from the Gaussian; minus infinity where log p is at one of them.
double estimate_elbo(density::LogDensity& density, const LowRankGaussian& gaussian, std::size_t count,
                     const PathName& path, std::uint64_t iteration);

class Path final {
 public:
  Path(density::LogDensity& density, const Options& options, PathName name, std::vector<double> start);

  // An iteration of L-BFGS and the ELBO where it ended; false where the path has ended: nothing was done.
  bool step();

  bool has_gaussian() const { return has_gaussian_; }
  const LowRankGaussian& gaussian() const { return best_; }  // the best one
  double elbo() const { return best_elbo_; }
  const Lbfgs& lbfgs() const { return lbfgs_; }
  std::uint64_t evaluations() const { return evaluations_; }  // of log p without gradient, for the ELBO

  void archive(Archive& archive);

 private:
  void remember_step();
  void judge_point();

  density::LogDensity& density_;
  std::size_t elbo_draws_;
  PathName name_;
  Lbfgs lbfgs_;
  CurvaturePairs pairs_;
  std::vector<double> theta_;  // before the iteration
  std::vector<double> gradient_;
  std::vector<double> diagonal_;
  LowRankGaussian best_;
  double best_elbo_ = 0;
  bool has_gaussian_ = false;
  bool is_judged_ = false;  // some point of the path has been
  std::uint64_t evaluations_ = 0;
};

}  // namespace kullback::infer
