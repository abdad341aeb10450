// One simulation of a calibration: data from the prior, a fit to them, and where the truth lies in it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fit/calibrate.hpp"
#include "model/simulate.hpp"
#include "stats/placement.hpp"

namespace kullback::fit {

struct CalibrationSetting {
  const CalibrateRequest& request;
  const LoadedProgram& program;
  std::size_t parameters = 0;  // columns
};

struct SimulatedFit {
  bool is_done = false;
  std::string failure;        // empty where it was fitted
  std::vector<double> truth;  // of each parameter's column
  std::vector<double> u;  // posterior probability below the truth, uniform if the draws are the posterior's
  std::vector<double> z;  // (posterior mean - truth) / posterior sd
  std::vector<stats::Placement> placements;  // of the truth among the draws
  std::uint64_t gradients = 0;
};

// What user input can make fail is a failure in the result; other errors are thrown. is_done is false where
// `stop` came first.
SimulatedFit fit_simulation(const CalibrationSetting& setting, model::Simulator& simulator, std::size_t index,
                            const std::atomic<bool>& stop);

}  // namespace kullback::fit
