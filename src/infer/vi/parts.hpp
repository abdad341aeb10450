// The four parts that a run is made of, chosen by name, and the options that they read.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "infer/options.hpp"
#include "infer/vi/estimator.hpp"
#include "infer/vi/family.hpp"
#include "infer/vi/objective.hpp"
#include "infer/vi/optimizer.hpp"

namespace kullback::infer {

// Names of parts; empty: not said.
struct Preset {
  std::string_view family;
  std::string_view objective;
  std::string_view estimator;
  std::string_view optimizer;
};

struct Parts {
  const FamilyRecord* family = nullptr;
  const ObjectiveRecord* objective = nullptr;
  const EstimatorRecord* estimator = nullptr;
  const OptimizerRecord* optimizer = nullptr;

  // Updates of their own, in place of steps along a gradient.
  bool has_own_scheme() const {
    return optimizer->make_scheme != nullptr || objective->make_scheme != nullptr;
  }
};

// What `preset` says, else what the user gave, else what `fallback` says. Throws Error usage for a name that
// does not exist, for an option that none of the parts reads, and for a part that another one makes idle.
Parts choose_parts(const Preset& preset, const Options& options, const Preset& fallback);

// Options of a method that leaves to its user what `preset` does not say.
std::vector<const OptionRecord*> options_of(const Preset& preset);

}  // namespace kullback::infer
