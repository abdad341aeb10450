// Draws from a program's prior, and data given them.
#pragma once

#include <filesystem>

#include "fit/fit.hpp"

namespace kullback::fit {

struct SimulateRequest {
  Inputs inputs;
  std::size_t draws = 1000;
  std::size_t data_sets =
      0;  // of the first so many draws: data-K.json, and params-K.json with what made them
  std::uint64_t seed = 0;
  std::filesystem::path out;
  bool force = false;
};

// Writes a folder like that of a fit: parameters, transformed parameters, generated quantities and simulated
// data of each draw. Throws Error where the program cannot be read as a recipe.
Outcome simulate(const SimulateRequest& request, const LoadedProgram& program);

}  // namespace kullback::fit
