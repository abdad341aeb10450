#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>

#include "base/advice.hpp"
#include "base/error.hpp"
#include "base/interrupt.hpp"
#include "cli/fit_run.hpp"
#include "cli/verb.hpp"
#include "fit/certify_draws.hpp"
#include "fit/fit.hpp"
#include "fit/outcome_text.hpp"

namespace kullback::cli {

namespace {

struct CertifyArguments {
  fit::CertifyRequest request;
  fit::Inputs inputs;
  std::string draws;
  std::string out;
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
  if (!(arguments.request.tolerance > 0) || !std::isfinite(arguments.request.tolerance)) {
    throw Error(
        ErrorKind::usage, fmt::format("--tolerance is {}; it must be above 0.", arguments.request.tolerance),
        "0.1 asks for means and standard deviations within a tenth of a posterior standard deviation.");
  }
}

int run_certify(const CertifyArguments& arguments) {
  check_arguments(arguments);
  const bool is_folder = std::filesystem::is_directory(arguments.draws);
  const fit::Inputs inputs =
      arguments.inputs.program.empty() ? fit::request_of(arguments.draws).inputs : arguments.inputs;
  fit::CertifyRequest request = arguments.request;
  request.draws = arguments.draws;
  request.out = !arguments.out.empty() ? std::filesystem::path(arguments.out)
                : is_folder            ? request.draws / "certificate.json"
                                       : std::filesystem::path(arguments.draws + "-certificate.json");
  const InterruptGuard guard({.is_bounded = true});
  const auto program = fit::load_program(inputs);
  if (!is_understood(*program)) return static_cast<int>(ErrorKind::bad_input);
  const fit::LoadedModel model = fit::load_model(*program, inputs, {.seed = request.seed});
  request.should_stop = is_interrupted;
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
  verb.add_option("--tolerance", arguments->request.tolerance,
                  "How wrong a mean or sd may be, in posterior standard deviations")
      .type_name("SDS")
      .default_of_target();
  verb.add_option("--seed", arguments->request.seed, "Seed of the chains that check the draws")
      .whole_number(0, std::numeric_limits<std::uint64_t>::max())
      .default_of_target();
  verb.add_flag(
      "--wasserstein", arguments->request.wasserstein,
      "Also bound Wasserstein distances from the posterior, by coupled chains: of normal approximations");
  verb.add_option("--threads", arguments->request.threads, "Threads (default: the machine's cores)")
      .range(1, 4096);
  verb.add_option("--out", arguments->out, "File of the certificate (default: DIR/certificate.json)")
      .type_name("FILE");
  verb.add_flag("--quiet", arguments->quiet, "Print nothing but errors");
  return [arguments] { return run_certify(*arguments); };
}

}  // namespace kullback::cli
