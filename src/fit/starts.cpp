#include "fit/starts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/random.hpp"
#include "infer/start.hpp"
#include "model/data.hpp"
#include "model/unconstrain.hpp"

namespace kullback::fit {

namespace {

constexpr double kDefaultRadius = 2;
constexpr const char* kPathfinder = "pathfinder";

// Nothing where the text is no number.
std::optional<double> radius_of(const std::string& init) {
  double radius = 0;
  const auto [end, error] = std::from_chars(init.data(), init.data() + init.size(), radius);
  if (error != std::errc() || end != init.data() + init.size()) return std::nullopt;
  if (!(radius >= 0) || radius > 1e6) {
    throw Error(ErrorKind::usage,
                fmt::format("--init: found {}, but a radius must be between 0 and 1e6.", init));
  }
  return radius;
}

// `init` is as the user gave it, or the default.
std::string start_advice(const std::string& init) {
  constexpr double kSmall = 0.1;
  const std::optional<double> radius = init == kPathfinder ? kDefaultRadius : radius_of(init);
  if (!radius) return "Correct the values of parameters there, or leave --init out.";
  if (*radius <= kSmall) return "Give starting values with `--init FILE.json`.";
  return "Give starting values with `--init FILE.json`, or a smaller radius, such as --init 0.1.";
}

[[noreturn]] void no_start(const infer::FoundStart& found, std::uint32_t chain, const std::string& init,
                           const std::string& where) {
  throw Error(
      ErrorKind::bad_input,
      fmt::format("chain {}: the density is not finite {}; the last time: {}", chain + 1, where,
                  found.message.empty() ? "a coordinate of the gradient is not finite." : found.message),
      start_advice(init));
}

std::vector<double> random_start(const Request& request, const LoadedModel& model, std::uint32_t chain,
                                 double radius) {
  infer::FoundStart found =
      infer::find_start(*model.density, {.seed = request.seed, .chain = chain, .radius = radius});
  if (!found.is_ok)
    no_start(found, chain, request.init, fmt::format("at any of {} starting points", found.tries));
  return std::move(found.theta);
}

bool is_finite_at(density::LogDensity& density, const std::vector<double>& theta) {
  double log_density = 0;
  std::vector<double> gradient(theta.size());
  density::Status status{};
  density.evaluate({1, theta.data(), &log_density, gradient.data(), &status});
  return status == density::Status::ok &&
         std::all_of(gradient.begin(), gradient.end(), [](double g) { return std::isfinite(g); });
}

void note_warnings(const std::string& file, const Diagnostics& warnings, Findings& findings) {
  for (const Diagnostic& warning : warnings) {
    findings.push_back(
        {"init", file + ": a starting value was not used.", warning.message,
         "Name the parameters as the program does; those that are not named start at random."});
  }
}

// What the file does not name is random, as in CmdStan, and tried until the density is finite.
std::vector<double> start_from(const Request& request, const LoadedModel& model, const model::Data& inits,
                               std::uint32_t chain, Findings& findings) {
  constexpr std::uint32_t kTries = 100;
  infer::FoundStart last;
  const std::size_t dim = model.density->dim();
  for (std::uint32_t attempt = 0; attempt < kTries; ++attempt) {
    Random random(request.seed, chain, static_cast<std::uint32_t>(infer::Purpose::start), attempt);
    std::vector<double> fallback(dim);
    for (double& x : fallback) x = kDefaultRadius * (2 * random.uniform() - 1);
    model::Unconstrained read = model::unconstrain(*model.stan->prepared(), inits, fallback);
    if (attempt == 0 && findings.empty()) note_warnings(request.init, read.warnings, findings);
    std::vector<double> theta = std::move(read.theta);
    const bool is_fixed = theta == last.theta;  // the file names every parameter
    if (is_fixed) break;
    last.theta = std::move(theta);
    if (is_finite_at(*model.density, last.theta)) return std::move(last.theta);
    last.message = model.density->message();
  }
  no_start(last, chain, request.init, "at the starting values of " + request.init);
}

// Draws of multi-path Pathfinder, spread over the chains.
std::vector<std::vector<double>> pathfinder_starts(const Request& request, const LoadedModel& model,
                                                   const std::vector<std::uint32_t>& chains) {
  infer::Options options;
  options.set(infer::option::kDraws, request.chains);
  const auto algorithm =
      infer::find_method(kPathfinder)
          ->make(*model.density, options, {random_start(request, model, 0, kDefaultRadius), request.seed, 0});
  infer::Draws draws;
  draws.dim = model.density->dim();
  while (algorithm->step(draws)) {
  }
  std::vector<std::vector<double>> starts;
  for (const std::uint32_t chain : chains) {
    if (draws.count() == 0) {
      starts.push_back(random_start(request, model, chain, kDefaultRadius));
      continue;
    }
    const auto first = draws.theta.begin() + static_cast<std::ptrdiff_t>((chain % draws.count()) * draws.dim);
    starts.emplace_back(first, first + static_cast<std::ptrdiff_t>(draws.dim));
  }
  return starts;
}

std::vector<std::vector<double>> points(const Request& request, const LoadedModel& model,
                                        const std::vector<std::uint32_t>& chains, Findings& findings) {
  if (request.init == kPathfinder) return pathfinder_starts(request, model, chains);
  std::vector<std::vector<double>> starts;
  if (const std::optional<double> radius = radius_of(request.init)) {
    for (const std::uint32_t chain : chains) starts.push_back(random_start(request, model, chain, *radius));
    return starts;
  }
  if (model.stan == nullptr)
    throw Error(ErrorKind::usage, "--init FILE is for Stan programs, not for a shared library.",
                "Give a radius.");
  const model::Data inits = request.init.starts_with('{') ? model::parse_json_data(request.init, "init")
                                                          : model::read_data(request.init);
  for (const std::uint32_t chain : chains)
    starts.push_back(start_from(request, model, inits, chain, findings));
  return starts;
}

}  // namespace

std::vector<infer::Start> find_starts(const Request& request, const LoadedModel& model,
                                      const std::vector<std::uint32_t>& chains, Findings& findings) {
  std::vector<infer::Start> starts;
  if (model.density->dim() == 0) {
    for (const std::uint32_t chain : chains) starts.push_back({{}, request.seed, chain});
    return starts;
  }
  std::vector<std::vector<double>> found = points(request, model, chains, findings);
  for (std::size_t i = 0; i < chains.size(); ++i)
    starts.push_back({std::move(found[i]), request.seed, chains[i]});
  return starts;
}

void check_start(const LoadedModel& model, const infer::Start& start, Findings& findings) {
  if (start.theta.empty()) return;
  if (const auto finding = infer::check_gradient_at(*model.density, start.theta, start.seed))
    findings.push_back(*finding);
}

}  // namespace kullback::fit
