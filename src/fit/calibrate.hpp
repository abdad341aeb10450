// Variational simulation-based calibration (Yao, Vehtari, Simpson, Gelman 2018; Talts et al. 2018):
// parameters and data from a program's prior, a fit to each data set, and where in its posterior each true
// value lies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "fit/loaded_model.hpp"
#include "fit/request.hpp"

namespace kullback::fit {

struct CalibrateRequest {
  Inputs inputs = {};
  const infer::Method* method = nullptr;
  infer::Options options = {};
  std::size_t simulations = 200;
  std::uint64_t seed = 0;
  std::size_t threads = 0;  // 0: as many as there are cores
  double level = 0.01;      // of all tests together: the share of exact methods that are called wrong
  std::filesystem::path out = {};
  bool force = false;
};

// Over the simulations, u is the posterior probability below the true value: uniform where the posterior is
// exact.
struct CalibratedParameter {
  std::string name;
  std::vector<double> u;  // simulation after simulation, without those that failed
  double bias = 0;        // mean of (posterior mean - truth) / posterior sd
  double bias_error = 0;  // its standard error
  double spread = 0;      // root mean square of the same: 1 where posterior sds are right
  double location_p = 1;  // bias is 0
  double spread_p = 1;    // spread is 1
  double symmetry_p = 1;  // means are not off to one side
  double uniformity_p = 1;
  double crowding = 0;  // stats::end_crowding: above 0 too narrow, below 0 too wide
  double crowding_p = 1;
  std::string
      verdict;  // "mean too low", "mean too high", "too narrow", "too wide", "not uniform", or several; "ok"
};

struct Calibration {
  std::vector<CalibratedParameter> parameters;  // columns of the parameters block that vary
  std::size_t simulations = 0;                  // asked for
  std::size_t fitted = 0;
  std::size_t failed = 0;
  std::string first_failure;  // "simulation 3: " and why; empty where none failed
  double level = 0;
  double threshold = 0;  // p-values below it count: level over the number of tests
  std::uint64_t gradients = 0;
  double seconds = 0;
  bool is_interrupted = false;
  std::filesystem::path folder = {};  // where the files are

  bool is_ok() const;  // no parameter is flagged
};

struct CalibrateWatch {
  // About ten times a second, by the thread that called.
  std::function<void(std::size_t done, std::size_t total)> on_progress = {};
  std::function<bool()> should_stop = [] { return false; };
};

// Runs the simulations on threads and writes a folder with run.json and calibration.json; the same result for
// any number of threads. Data set i is that of `kullback simulate` with the same seed. Throws Error where the
// program cannot be simulated, no data are, or every fit fails.
Calibration calibrate(const CalibrateRequest& request, const LoadedProgram& program,
                      const CalibrateWatch& watch);

std::string to_json(const Calibration& calibration, const CalibrateRequest& request);

}  // namespace kullback::fit
