// What is behind a kb_model.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "capi/kullback.h"
#include "capi/shared_density.hpp"
#include "capi/spares.hpp"
#include "fit/loaded_model.hpp"
#include "model/outputs.hpp"

// Immutable but for the spares, which are safe: any number of threads use one model.
struct kb_model {
  kullback::fit::Inputs inputs;  // `program` is the name; `data` is empty
  std::unique_ptr<kullback::fit::LoadedProgram> program;
  kullback::fit::GivenData data;
  kullback::fit::LoadedModel loaded;  // fits share its data; it has no density
  std::shared_ptr<const kullback::model::Prepared> prepared;

  // By jacobian + 2 * constants.
  std::array<std::unique_ptr<kullback::capi::SharedDensity>, 4> densities;
  kullback::capi::Spares<kullback::model::Outputs> outputs;

  std::array<std::size_t, 4> column_ends =
      {};  // of nothing, parameters, transformed parameters, generated quantities
  std::array<std::string, KB_ALL + 1> names;  // by parts
  std::string unconstrained_names;
  std::string warnings;
};
