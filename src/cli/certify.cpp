#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "base/advice.hpp"
#include "base/error.hpp"
#include "base/interrupt.hpp"
#include "cli/fit_run.hpp"
#include "cli/verb.hpp"
#include "fit/certify_draws.hpp"
#include "fit/fit.hpp"
#include "fit/options.hpp"
#include "fit/outcome_text.hpp"
#include "shell/options.hpp"

namespace kullback::cli {

namespace {

struct CertifyArguments {
  fit::Inputs inputs;
  GivenTexts given;
  std::string draws;
  bool quiet = false;
};

void check_arguments(const CertifyArguments& arguments) {
  if (!std::filesystem::exists(arguments.draws))
    throw Error(ErrorKind::missing_file, arguments.draws + ": there is no such file or folder.",
                "Draws are a folder that kullback fit has made, or a CSV file.");
  if (std::filesystem::path(arguments.draws).extension() == ".json") {
    throw Error(ErrorKind::usage, arguments.draws + ": draws are wanted, as a folder of a fit or a CSV file.",
                "The summary, certificate and record of a fit hold none: give its folder.");
  }
  if (!std::filesystem::is_directory(arguments.draws) && arguments.inputs.program.empty()) {
    throw Error(ErrorKind::usage, "draws in a file need their program.",
                fmt::format("kullback certify {} MODEL.stan DATA.json", arguments.draws));
  }
}

// The certificate stands with its draws.
std::filesystem::path default_certificate(const std::string& draws) {
  return std::filesystem::is_directory(draws) ? std::filesystem::path(draws) / "certificate.json"
                                              : std::filesystem::path(draws + "-certificate.json");
}

fit::CertifyRequest request_for(const CertifyArguments& arguments) {
  using namespace fit::option;
  const OptionValues values = read_options(fit::certify_options(), arguments.given, "kullback certify");
  check_arguments(arguments);
  fit::CertifyRequest request;
  request.draws = arguments.draws;
  request.tolerance = values[kCertifiedTolerance];
  request.seed = values[kCheckSeed];
  request.threads = values[kThreads];
  request.wasserstein = values[kDistances];
  request.out = values.is_given(kCertificateOut) ? std::filesystem::path(values[kCertificateOut])
                                                 : default_certificate(arguments.draws);
  request.should_stop = is_interrupted;
  return request;
}

int run_certify(const CertifyArguments& arguments) {
  const fit::CertifyRequest request = request_for(arguments);
  const fit::Inputs inputs =
      arguments.inputs.program.empty() ? fit::request_of(arguments.draws).inputs : arguments.inputs;
  const InterruptGuard guard({.is_bounded = true});
  const auto program = fit::load_program(inputs);
  if (!is_understood(*program)) return static_cast<int>(ErrorKind::bad_input);
  const fit::LoadedModel model = fit::load_model(*program, inputs, {.seed = request.seed});
  const fit::CertifiedDraws certified = fit::certify_draws(request, model);
  if (certified.is_stopped) return kInterruptedCode;
  if (!arguments.quiet) {
    std::string text = certify::certificate_text(certified.certificate, fit::kTableWidth);
    if (!certified.weights.empty()) text += fmt::format("Weights: {}\n", certified.weights.string());
    text += fmt::format("Certificate: {}\n", request.out.string());
    std::fputs(for_terminal(text).c_str(), stdout);
  }
  return certified.certificate.verdict == certify::Verdict::met ? 0 : kToleranceCode;
}

}  // namespace

Run add_certify(const Command& verb) {
  const auto arguments = std::make_shared<CertifyArguments>();
  verb.add_option("draws", arguments->draws,
                  "Folder of a fit, or a CSV file with a column for each parameter and log_q__")
      .required()
      .type_name("DIR|FILE");
  verb.add_option("program", arguments->inputs.program, "Stan program, for a file of draws")
      .type_name("MODEL");
  verb.add_option("data", arguments->inputs.data, "Its data").type_name("DATA");
  shell::add_options(verb, fit::certify_options(), {}, arguments->given);
  verb.add_flag("--quiet", arguments->quiet, "Print nothing but errors");
  return [arguments] { return run_certify(*arguments); };
}

}  // namespace kullback::cli
