// L-BFGS: climbs a log density from a point, iteration by iteration.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "density/log_density.hpp"
#include "infer/archive.hpp"
#include "infer/optimize/curvature_pairs.hpp"
#include "infer/optimize/line_search.hpp"
#include "infer/options.hpp"

namespace kullback::infer {

enum class Stop : unsigned char {
  not_yet,
  tol_obj,
  tol_rel_obj,
  tol_grad,
  tol_rel_grad,
  tol_param,
  max_iterations,
  line_search,       // no step along the gradient raises the log density
  unbounded,         // it rises as far as a line was followed
  start_not_finite,  // no gradient at the start
};

// One sentence.
std::string_view why(Stop stop);
// One of the five tests of convergence.
bool is_convergence(Stop stop);

class Lbfgs final {
 public:
  // Evaluates the density once. The density must outlive the object.
  Lbfgs(density::LogDensity& density, const Options& options, std::vector<double> start);

  // One iteration; false where it has stopped: nothing was done.
  bool step();
  // A line search along a direction of ascent that others computed, such as Newton's; then the history is
  // forgotten, and step() goes on. False, and nothing has changed, where it does not gain more than
  // `least_gain`.
  bool leap(std::span<const double> direction, double least_gain);

  Stop stop() const { return stop_; }
  const std::vector<double>& theta() const { return theta_; }
  const std::vector<double>& gradient() const { return gradient_; }  // of the log density
  double log_density() const { return log_density_; }
  double start_log_density() const { return start_log_density_; }
  std::uint64_t iterations() const { return iterations_; }
  std::uint64_t gradients() const { return gradients_; }  // evaluations
  // What a Newton step would add to the log density, by the remembered curvature: g'Hg / 2. Near a mode it is
  // near 0 in any parametrisation.
  double expected_gain() const;

  void archive(Archive& archive);

 private:
  struct Point {
    std::vector<double> theta;
    std::vector<double> gradient;
    double log_density = 0;
    bool is_finite = false;
  };

  bool climb();
  Point evaluate(std::vector<double> theta);
  std::vector<double> next_direction() const;
  SearchResult search(std::span<const double> direction, double slope, Point& reached);
  void move_to(Point reached);
  Stop test(double gain, double step_length) const;

  density::LogDensity& density_;
  Options options_;
  CurvaturePairs pairs_;
  std::vector<double> theta_;
  std::vector<double> gradient_;
  double log_density_ = 0;
  double start_log_density_ = 0;
  std::uint64_t iterations_ = 0;
  std::uint64_t gradients_ = 0;
  Stop stop_ = Stop::not_yet;
};

}  // namespace kullback::infer
