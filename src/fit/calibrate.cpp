// Five tests for each parameter, each at the level over their number (Bonferroni). Of u: symmetry about 1/2
// (posterior means off to one side), crowding at the ends or in the middle (posterior sds), and uniformity
// (anything else). Of (posterior mean - truth) / posterior sd, which u forgets once the truth is beyond all
// draws: mean 0 and mean square 1 (stats/placement.hpp).
#include "fit/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/interrupt.hpp"
#include "base/json.hpp"
#include "base/stop.hpp"
#include "base/try_thread.hpp"
#include "fit/ladder.hpp"
#include "fit/options.hpp"
#include "fit/record.hpp"
#include "fit/simulated_fit.hpp"
#include "model/prepared.hpp"
#include "posterior/posterior.hpp"
#include "run/folder.hpp"
#include "run/json_text.hpp"
#include "stats/chains.hpp"
#include "stats/uniformity.hpp"

namespace kullback::fit {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kLookEvery{100};
constexpr std::size_t kTests = 5;
constexpr std::size_t kFewestFits = 10;

// The simulations on threads, each with a simulator of its own; results are kept by number.
class Simulations final {
 public:
  Simulations(const CalibrationSetting& setting, const std::shared_ptr<const model::Prepared>& prepared)
      : setting_(setting), results_(setting.request.simulations) {
    const std::size_t wanted =
        setting.request.threads > 0 ? setting.request.threads : std::thread::hardware_concurrency();
    const std::size_t count = std::clamp<std::size_t>(wanted, 1, results_.size());
    for (std::size_t t = 0; t < count; ++t)
      simulators_.push_back(std::make_unique<model::Simulator>(prepared));
  }

  const model::Simulator& simulator() const { return *simulators_.front(); }

  std::vector<SimulatedFit> run(const CalibrateWatch& watch) {
    running_ = simulators_.size();
    {
      std::vector<std::jthread> threads;
      for (const auto& simulator : simulators_) {
        if (!try_start(threads, [this, &simulator] { take_simulations(*simulator); })) break;
      }
      forget_missing(simulators_.size() - threads.size());
      if (threads.empty()) take_simulations(*simulators_.front());
      look_after(watch);
    }
    if (failure_) std::rethrow_exception(failure_);
    return std::move(results_);
  }

 private:
  // Threads that could not be made. The last one's work is done by this thread.
  void forget_missing(std::size_t missing) {
    const std::lock_guard lock(mutex_);
    running_ -= std::min(missing, simulators_.size() - 1);
  }

  void take_simulations(model::Simulator& simulator) {
    try {
      for (std::size_t i = next_++; i < results_.size() && !stop_; i = next_++) {
        results_[i] = fit_simulation(setting_, simulator, i, stop_);
        if (results_[i].is_done) ++done_;
      }
    } catch (const Interrupted&) {  // the simulation in hand is not done
      stop_ = true;
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      stop_ = true;
    }
    const std::lock_guard lock(mutex_);
    --running_;
    woken_.notify_one();
  }

  void look_after(const CalibrateWatch& watch) {
    std::unique_lock lock(mutex_);
    while (running_ > 0) {
      woken_.wait_for(lock, kLookEvery, [this] { return running_ == 0; });
      lock.unlock();
      if (watch.should_stop()) stop_ = true;
      if (watch.on_progress) watch.on_progress(done_, results_.size());
      lock.lock();
    }
  }

  const CalibrationSetting& setting_;
  std::vector<SimulatedFit> results_;
  std::vector<std::unique_ptr<model::Simulator>> simulators_;
  std::atomic<bool> stop_{false};
  std::atomic<std::size_t> next_{0};
  std::atomic<std::size_t> done_{0};
  std::mutex mutex_;
  std::condition_variable woken_;
  std::size_t running_ = 0;
  std::exception_ptr failure_;
};

void check_request(const CalibrateRequest& request, const LoadedProgram& program) {
  if (program.is_library)
    throw Error(ErrorKind::usage, request.inputs.program + ": a shared library does not tell its prior.",
                "Give the Stan program.");
  if (request.method == &auto_method())
    throw Error(ErrorKind::usage, "auto chooses a method for each data set; one is calibrated at a time.",
                "Name it with --method, such as advi.");
  if (request.method->name == "optimize")
    throw Error(ErrorKind::usage, "optimize yields one point, not a distribution to be calibrated.",
                "Calibrate laplace, which begins at that point.");
  if (request.simulations < kFewestFits)
    throw Error(ErrorKind::usage,
                fmt::format("{} simulations say nothing; at least {} are needed, and 200 say something.",
                            request.simulations, kFewestFits));
}

void check_simulator(const CalibrateRequest& request, const model::Simulator& simulator,
                     std::size_t parameters) {
  if (parameters == 0)
    throw Error(ErrorKind::bad_input,
                request.inputs.program + ": has no parameters; there is nothing to calibrate.");
  if (simulator.simulated_data().empty())
    throw Error(
        ErrorKind::bad_input,
        request.inputs.program +
            ": no data have a distribution, so that every simulation has the same posterior, the prior.",
        "State the distribution of the data, as in 'y ~ normal(mu, sigma);' with y in the data block.");
}

bool varies(const std::vector<SimulatedFit>& fits, std::size_t column) {
  const SimulatedFit* first = nullptr;
  for (const SimulatedFit& fit : fits) {
    if (fit.u.empty()) continue;
    if (first != nullptr && fit.truth[column] != first->truth[column]) return true;
    first = &fit;
  }
  return false;
}

CalibratedParameter examine(std::string name, const std::vector<SimulatedFit>& fits, std::size_t column) {
  CalibratedParameter result;
  result.name = std::move(name);
  std::vector<double> z;
  std::vector<stats::Placement> placements;
  double squares = 0;
  for (const SimulatedFit& fit : fits) {
    if (fit.u.empty()) continue;
    result.u.push_back(fit.u[column]);
    z.push_back(fit.z[column]);
    placements.push_back(fit.placements[column]);
    squares += z.back() * z.back();
  }
  const auto count = static_cast<double>(z.size());
  result.bias = stats::mean(z);
  result.bias_error = stats::sd(z) / std::sqrt(count);
  result.spread = std::sqrt(squares / count);
  result.location_p = stats::location_p_value(placements);
  result.spread_p = stats::spread_p_value(placements);
  result.symmetry_p = stats::symmetry_test(result.u).p_value;
  result.uniformity_p = stats::uniformity_p_value(result.u);
  result.crowding = stats::end_crowding(result.u);
  result.crowding_p = stats::normal_p_value(result.crowding);
  return result;
}

std::string verdict_of(const CalibratedParameter& parameter, double threshold) {
  const bool is_off_in_spread = parameter.spread_p < threshold;
  const bool is_crowded = parameter.crowding_p < threshold;
  const bool is_narrow = (is_off_in_spread && parameter.spread > 1) || (is_crowded && parameter.crowding > 0);
  const bool is_wide = (is_off_in_spread && parameter.spread < 1) || (is_crowded && parameter.crowding < 0);
  std::vector<std::string> found;
  if (parameter.location_p < threshold)
    found.emplace_back(parameter.bias < 0 ? "mean too low" : "mean too high");
  else if (parameter.symmetry_p < threshold)
    found.emplace_back(stats::mean(parameter.u) > 0.5 ? "mean too low" : "mean too high");
  if (is_wide) found.emplace_back("too wide");
  if (is_narrow) found.emplace_back(is_wide ? "in some fits too narrow" : "too narrow");
  if (found.empty()) return parameter.uniformity_p < threshold ? "not uniform" : "ok";
  return fmt::format("{}", fmt::join(found, ", "));
}

void count_fits(const std::vector<SimulatedFit>& fits, Calibration& result) {
  for (std::size_t i = 0; i < fits.size(); ++i) {
    const SimulatedFit& fit = fits[i];
    result.gradients += fit.gradients;
    if (!fit.is_done) {
      result.is_interrupted = true;
    } else if (fit.failure.empty()) {
      ++result.fitted;
    } else {
      if (result.failed == 0) result.first_failure = fmt::format("simulation {}: {}", i + 1, fit.failure);
      ++result.failed;
    }
  }
}

void check_fits(const CalibrateRequest& request, const Calibration& result) {
  if (result.fitted >= kFewestFits || result.is_interrupted) return;
  throw Error(
      ErrorKind::bad_input,
      fmt::format("{}: {} of {} simulated data sets could not be fitted by {}; {}", request.inputs.program,
                  result.failed, result.simulations, request.method->name, result.first_failure),
      fmt::format("'kullback simulate' with --data-sets and --seed {} writes these data sets; are the priors "
                  "too wide for the program?",
                  request.seed));
}

run::RunRecord begin_calibration(const CalibrateRequest& request, const LoadedModel& model) {
  run::RunRecord record = begin_record(request.inputs, model, request.seed);
  record.kind = run::Kind::calibration;
  record.method = std::string(request.method->name);
  record.options.set(request.method->options, request.options);
  record.options.set(option::kSimulations, request.simulations);
  record.options.set(option::kLevel, request.level);
  note_include_paths(request.inputs, record);
  return record;
}

std::string parameter_json(const CalibratedParameter& parameter) {
  const auto number = [](double value) { return run::json_number(value); };
  std::string values;
  for (const double u : parameter.u) values += (values.empty() ? "" : ", ") + number(u);
  return fmt::format(
      "{{\"name\": {}, \"verdict\": {}, \"bias\": {}, \"bias_error\": {}, \"location_p\": {}, \"spread\": "
      "{}, "
      "\"spread_p\": {}, \"symmetry_p\": {}, "
      "\"crowding\": {}, \"crowding_p\": {}, \"uniformity_p\": {},\n     \"u\": [{}]}}",
      json_string(parameter.name), json_string(parameter.verdict), number(parameter.bias),
      number(parameter.bias_error), number(parameter.location_p), number(parameter.spread),
      number(parameter.spread_p), number(parameter.symmetry_p), number(parameter.crowding),
      number(parameter.crowding_p), number(parameter.uniformity_p), values);
}

}  // namespace

bool Calibration::is_ok() const {
  return std::all_of(parameters.begin(), parameters.end(),
                     [](const CalibratedParameter& parameter) { return parameter.verdict == "ok"; });
}

Calibration calibrate(const CalibrateRequest& request, const LoadedProgram& program,
                      const CalibrateWatch& watch) {
  const Clock::time_point began = Clock::now();
  check_request(request, program);
  const LoadedModel model = load_model(program, request.inputs, {.seed = request.seed});
  const auto prepared = model.stan->prepared();
  const CalibrationSetting setting{request, program, prepared->parameter_columns};
  Simulations simulations(setting, prepared);
  const std::vector<std::string> names = simulations.simulator().column_names();
  check_simulator(request, simulations.simulator(), setting.parameters);
  run::RunRecord record = begin_calibration(request, model);
  const auto folder = run::RunFolder::begin(request.out, record, program.text, request.force);

  Calibration result;
  result.simulations = request.simulations;
  result.level = request.level;
  try {
    const std::vector<SimulatedFit> fits = simulations.run(watch);
    count_fits(fits, result);
    check_fits(request, result);
    for (std::size_t j = 0; j < setting.parameters && result.fitted >= kFewestFits; ++j) {
      if (varies(fits, j)) result.parameters.push_back(examine(posterior::display_name(names[j]), fits, j));
    }
  } catch (const Error&) {
    folder->abandon();
    throw;
  }
  const Unhurried finishing;
  result.threshold =
      request.level / static_cast<double>(std::max<std::size_t>(kTests * result.parameters.size(), 1));
  for (CalibratedParameter& parameter : result.parameters)
    parameter.verdict = verdict_of(parameter, result.threshold);
  result.seconds = std::chrono::duration<double>(Clock::now() - began).count();
  record.status = result.is_interrupted ? "stopped" : "complete";  // nothing goes on with it
  record.gradients = result.gradients;
  record.seconds = result.seconds;
  replace_file(folder->file("calibration.json"), to_json(result, request));
  folder->finish(record, {}, {});
  result.folder = folder->path();
  return result;
}

std::string to_json(const Calibration& calibration, const CalibrateRequest& request) {
  std::string parameters;
  for (const CalibratedParameter& parameter : calibration.parameters)
    parameters += (parameters.empty() ? "\n    " : ",\n    ") + parameter_json(parameter);
  const char* verdict =
      calibration.parameters.empty() ? "cannot tell" : (calibration.is_ok() ? "ok" : "not calibrated");
  return fmt::format(
      "{{\n  \"verdict\": \"{}\",\n  \"method\": {},\n  \"seed\": {},\n  \"simulations\": {},\n  \"fitted\": "
      "{},\n"
      "  \"failed\": {},\n  \"first_failure\": {},\n  \"interrupted\": {},\n  \"level\": {},\n  "
      "\"threshold\": {},\n"
      "  \"gradients\": {},\n  \"parameters\": [{}\n  ]\n}}\n",
      verdict, json_string(request.method->name), request.seed, calibration.simulations, calibration.fitted,
      calibration.failed, json_string(calibration.first_failure), calibration.is_interrupted,
      run::json_number(calibration.level), run::json_number(calibration.threshold), calibration.gradients,
      parameters);
}

}  // namespace kullback::fit
