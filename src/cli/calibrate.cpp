#include "fit/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "base/advice.hpp"
#include "base/error.hpp"
#include "base/fresh_seed.hpp"
#include "base/interrupt.hpp"
#include "cli/fit_run.hpp"
#include "cli/method_options.hpp"
#include "cli/verb.hpp"
#include "fit/options.hpp"
#include "fit/outcome_text.hpp"
#include "run/progress_line.hpp"
#include "shell/options.hpp"

namespace kullback::cli {

namespace {

struct CalibrateArguments {
  fit::Inputs inputs;
  GivenTexts given;
  GivenTexts of_method;
  bool quiet = false;
};

// "0.012", "3e-7"
std::string p_text(double p) { return p < 0.0005 ? fmt::format("{:.0e}", p) : fmt::format("{:.3f}", p); }

std::string table_text(const fit::Calibration& calibration) {
  std::size_t width = 9;
  for (const auto& parameter : calibration.parameters) width = std::max(width, parameter.name.size());
  std::string text = fmt::format("{:<{}} {:>6} {:>6} {:>6} {:>6} {:>8} {:>8} {:>10}  {}\n", "", width, "bias",
                                 "p", "spread", "p", "symmetry", "crowding", "uniformity", "verdict");
  std::size_t shown = 0;
  for (const auto& parameter : calibration.parameters) {
    if (++shown > fit::kTableRows) {
      text += fmt::format("... and {} more, in calibration.json\n",
                          calibration.parameters.size() - fit::kTableRows);
      break;
    }
    text += fmt::format("{:<{}} {:>6.2f} {:>6} {:>6.2f} {:>6} {:>8} {:>8} {:>10}  {}\n", parameter.name,
                        width, parameter.bias, p_text(parameter.location_p), parameter.spread,
                        p_text(parameter.spread_p), p_text(parameter.symmetry_p),
                        p_text(parameter.crowding_p), p_text(parameter.uniformity_p), parameter.verdict);
  }
  return text;
}

std::string conclusion(const fit::Calibration& calibration, const std::string& method) {
  if (calibration.parameters.empty()) return "Too few simulations were fitted to say anything.\n";
  const auto wrong = std::count_if(calibration.parameters.begin(), calibration.parameters.end(),
                                   [](const auto& parameter) { return parameter.verdict != "ok"; });
  if (wrong == 0)
    return fmt::format(
        "No miscalibration of {} found with so many simulations; it says nothing of your data alone.\n",
        method);
  return fmt::format(
      "{} of {} parameters: {} is not calibrated on data from this prior (p-values below {:.1e},\n"
      "{:g} over the number of tests).\n",
      wrong, calibration.parameters.size(), method, calibration.threshold, calibration.level);
}

std::string calibration_text(const fit::Calibration& calibration, const fit::CalibrateRequest& request) {
  const std::string method(request.method->name);
  std::string text = fmt::format("{}: {}, {} of {} simulations fitted, seed {}, {} gradients, {:.2f} s\n\n",
                                 std::filesystem::path(request.inputs.program).filename().string(), method,
                                 calibration.fitted, calibration.simulations, request.seed,
                                 calibration.gradients, calibration.seconds);
  if (!calibration.parameters.empty()) {
    text += table_text(calibration);
    text +=
        "\nbias: mean of (posterior mean - truth) / posterior sd, 0 if right. spread: its root mean\n"
        "square, 1 if posterior sds are right. The others are p-values, p of the column before it.\n";
  }
  text += conclusion(calibration, method);
  if (calibration.failed > 0)
    text += fmt::format("{} simulation{} could not be fitted, and the figures are about the others; {}\n",
                        calibration.failed, calibration.failed == 1 ? "" : "s", calibration.first_failure);
  if (calibration.is_interrupted)
    text += "Interrupted: the figures are about the simulations that were finished.\n";
  return text + fmt::format("Results: {}\n", (calibration.folder / "calibration.json").string());
}

fit::CalibrateRequest request_for(const CalibrateArguments& arguments) {
  using namespace fit::option;
  const OptionValues values = read_options(fit::calibrate_options(), arguments.given, "kullback calibrate");
  fit::CalibrateRequest request{.inputs = arguments.inputs};
  request.inputs.include_paths = include_paths_of(values);
  request.method = &method_named(std::string(values[kCalibrated]));
  request.options = options_of(*request.method, arguments.of_method);
  request.simulations = values[kSimulations];
  request.seed = values.is_given(kSeed) ? values[kSeed] : fresh_seed();
  request.threads = values[kThreads];
  request.level = values[kLevel];
  request.out = out_of(values, kCalibrationOut, arguments.inputs.program, "-calibration");
  request.force = values[kForce];
  return request;
}

int run_calibrate(const CalibrateArguments& arguments) {
  const fit::CalibrateRequest request = request_for(arguments);
  const InterruptGuard guard({.is_bounded = true});
  const auto program = fit::load_program(request.inputs);
  if (!is_understood(*program)) return static_cast<int>(ErrorKind::bad_input);
  run::ProgressLine display(arguments.quiet);
  const fit::Calibration calibration = fit::calibrate(
      request, *program,
      {.on_progress =
           [&](std::size_t done, std::size_t total) {
             display.show(
                 {.stage = "calibrating",
                  .unit = run::Unit::fit,
                  .parts = {{.done = static_cast<double>(done), .total = static_cast<double>(total)}}});
           },
       .should_stop = is_interrupted});
  display.clear();
  if (!arguments.quiet) std::fputs(for_terminal(calibration_text(calibration, request)).c_str(), stdout);
  return calibration.is_interrupted ? kInterruptedCode : 0;
}

}  // namespace

Run add_calibrate(const Command& verb) {
  const auto arguments = std::make_shared<CalibrateArguments>();
  verb.add_option("program", arguments->inputs.program, "Stan program").required().type_name("MODEL");
  verb.add_option("data", arguments->inputs.data,
                  "Data: sizes and covariates count; values of variables that are simulated do not")
      .type_name("DATA");
  shell::add_options(verb, fit::calibrate_options(), {}, arguments->given);
  verb.add_flag("--quiet", arguments->quiet, "Print nothing but errors");
  add_method_options(verb, arguments->of_method);
  return [arguments] { return run_calibrate(*arguments); };
}

}  // namespace kullback::cli
