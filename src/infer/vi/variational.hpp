// Variational inference as a method: a start, a scheme that finds lambda, draws from the answer.
#pragma once

#include <memory>
#include <string_view>

#include "infer/algorithm.hpp"

namespace kullback::infer {

// Names of the four parts; empty: what the user gave, else chosen from the model.
struct Preset {
  std::string_view family;
  std::string_view objective;
  std::string_view estimator;
  std::string_view optimizer;
};

std::unique_ptr<Algorithm> make_variational(density::LogDensity& density, const Options& options, Start start,
                                            const Preset& preset);

}  // namespace kullback::infer
