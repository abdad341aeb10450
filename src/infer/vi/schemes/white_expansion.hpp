// What points of a Gaussian q tell of the log density over q: its mean slope and curvature where q is
// standard normal.
#pragma once

#include <vector>

#include "infer/vi/schemes/gaussian_points.hpp"

namespace kullback::infer {

// With theta = mean + L z and u = L' gradient of log p.
struct WhiteExpansion {
  std::vector<double> slope;      // E[u]
  std::vector<double> curvature;  // C = -E[du / dz], symmetric, column after column; or its diagonal
  bool is_diagonal = false;
  double roughness = 0;  // share of u's mean square that slope - C z does not explain: 0 for Gaussians
};

// `is_exact_rule`: the points' weights give E[z z'] = 1 exactly.
WhiteExpansion expand(const ScoredPoints& points, bool is_exact_rule);
// The diagonal of the curvature alone, for any number of coordinates.
WhiteExpansion expand_diagonal(const ScoredPoints& points);

// E[log p] over q.
struct MeanLog {
  double mean = 0;
  double error = 0;   // standard error, from the independent units of the points; NaN where there is one only
  double spread = 0;  // a scale of the error, as if each point were a unit: too large for smooth log p
};
MeanLog mean_log_p(const ScoredPoints& points);

}  // namespace kullback::infer
