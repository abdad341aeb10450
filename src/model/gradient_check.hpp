// The gradient against finite differences: how far apart they are, where, and which statement is behind it.
#pragma once

#include <string>
#include <vector>

#include "model/stan_model.hpp"

namespace kullback::model {

struct GradientCheck {
  double worst_error =
      0;  // |gradient - difference| / (1 + |gradient|); NaN where a difference cannot be taken
  std::size_t coordinate = 0;
  std::string name;  // of the coordinate: "theta[3]"
  double gradient = 0;
  double difference = 0;
  // The statement whose own contributions differ most at that coordinate: "model.stan:9:3"; empty where no
  // statement's do by more than the tolerance.
  std::string statement;
  double statement_gradient = 0;
  double statement_difference = 0;
};

// Of any density; throws Error where it is not finite at theta. Coordinates have the names of its blocks.
GradientCheck check_gradient(density::LogDensity& model, const std::vector<double>& theta);
// Statements are looked for where the error is above `tolerance`. Throws Error where the density is not
// finite at theta.
GradientCheck check_gradient(StanModel& model, const std::vector<double>& theta, double tolerance = 1e-6);

}  // namespace kullback::model
