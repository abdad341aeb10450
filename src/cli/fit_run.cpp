#include "cli/fit_run.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>

#include "base/advice.hpp"
#include "base/error.hpp"
#include "base/fresh_seed.hpp"
#include "base/interrupt.hpp"
#include "base/ranks.hpp"
#include "base/stop.hpp"
#include "cli/program_files.hpp"
#include "cli/verb.hpp"
#include "fit/options.hpp"
#include "report/page.hpp"
#include "run/progress_line.hpp"

namespace kullback::cli {

namespace {

int run_on(const Ranks& ranks, fit::Request request, const RunSettings& settings, const OutcomeText& text) {
  if (!settings.has_seed) request.seed = std::stoull(ranks.broadcast(std::to_string(fresh_seed())));
  const InterruptGuard guard({.is_announced = ranks.is_first(), .is_bounded = true});
  const std::unique_ptr<fit::LoadedProgram> program = fit::load_program(request.inputs);
  if (!is_understood(*program, ranks.is_first())) return static_cast<int>(ErrorKind::bad_input);
  const bool prints = ranks.is_first() && !settings.quiet;
  const fit::LoadedModel model =
      fit::load_model(*program, request.inputs, {.jacobian = request.jacobian, .seed = request.seed});
  if (prints && model.stan != nullptr) print_diagnostics(model.stan->data_warnings(), program->sources);
  run::ProgressLine display(!prints);
  const fit::Outcome outcome = fit::run(
      request, model, ranks,
      {.on_progress = [&](const auto& progress) { display.show(progress); }, .should_stop = is_interrupted});
  const Unhurried finishing;
  display.clear();
  if (!outcome.folder.empty()) request.out = outcome.folder;
  if (prints) std::fputs(for_terminal(text(outcome, request)).c_str(), stdout);
  if (settings.report && ranks.is_first()) write_report(request.out, prints);
  if (!ranks.is_first()) return 0;  // the first rank knows how it went, and its code is that of all
  if (outcome.is_interrupted) return kInterruptedCode;
  if (request.tolerance && !outcome.certificate) return kInterruptedCode;
  const bool is_met = !outcome.certificate || outcome.certificate->verdict == certify::Verdict::met;
  return request.tolerance && !is_met ? kToleranceCode : 0;
}

}  // namespace

int run_request(const std::function<fit::Request()>& make_request, const RunSettings& settings,
                const OutcomeText& text) {
  const Ranks ranks;
  try {
    return run_on(ranks, make_request(), settings, text);
  } catch (const Error& error) {
    if (ranks.size() == 1) throw;
    print_error(error.message(), error.hint());
    ranks.abort(static_cast<int>(error.kind()));  // the others would wait for this one
    throw;
  } catch (const Interrupted&) {
    ranks.abort(kInterruptedCode);
    throw;
  }
}

void write_report(const std::filesystem::path& out, bool prints) {
  report::write_page(out, out / "report.html");
  if (prints) fmt::print("Report: {}\n", (out / "report.html").string());
}

bool is_understood(const fit::LoadedProgram& program, bool prints) {
  if (program.is_library || program.understood.program) return true;
  if (prints) print_diagnostics(program.understood.diagnostics, program.sources);
  return false;
}

std::string default_folder(const std::string& program, const std::string& suffix) {
  return std::filesystem::path(program).stem().string() + suffix;
}

std::string out_of(const OptionValues& values, const TextOption& out, const std::string& program,
                   const std::string& suffix) {
  return std::string(values.given(out).value_or(default_folder(program, suffix)));
}

std::vector<std::string> include_paths_of(const OptionValues& values) {
  const std::span<const std::string> paths = values[fit::option::kIncludePath];
  return {paths.begin(), paths.end()};
}

}  // namespace kullback::cli
