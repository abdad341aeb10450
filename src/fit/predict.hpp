// Generated quantities for the draws of a fit, with its own data or with new ones.
#pragma once

#include <filesystem>
#include <string>

#include "fit/fit.hpp"

namespace kullback::fit {

struct PredictRequest {
  std::filesystem::path folder;  // of the fit
  std::string data;              // new data; empty: the fit's own
  std::uint64_t seed = 0;        // of `_rng` functions
  std::filesystem::path out;
  bool force = false;
};

// Writes a folder like that of a fit, with the generated quantities alone. Throws Error.
Outcome predict(const PredictRequest& request, const LoadedProgram& program);

// The program of a fit, with its includes.
Inputs inputs_of(const std::filesystem::path& folder);

}  // namespace kullback::fit
