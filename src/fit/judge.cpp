#include "fit/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "base/error.hpp"
#include "fit/begin.hpp"
#include "infer/vi/options.hpp"

namespace kullback::fit {

namespace {

constexpr const char* kDivergent = "divergent__";

bool is_chained(const infer::Method& method) { return method.has_chains && method.is_exact; }

certify::ChainedValues values_of(const Request& request, const LoadedModel& model,
                                 const std::vector<FinishedChain>& chains) {
  certify::ChainedValues result;
  result.chains = chains.size();
  result.draws = chains.front().chain.draws;
  for (const FinishedChain& chain : chains) result.draws = std::min(result.draws, chain.chain.draws);
  const auto& names = model.outputs->column_names();
  const std::size_t parameters = model.outputs->parameter_columns();
  result.names.assign(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(parameters));
  result.values.resize(parameters);
  for (std::size_t j = 0; j < parameters; ++j) {
    for (const FinishedChain& chain : chains) {
      const auto first = chain.chain.columns.begin() + static_cast<std::ptrdiff_t>(j * chain.chain.draws);
      result.values[j].insert(result.values[j].end(), first,
                              first + static_cast<std::ptrdiff_t>(result.draws));
    }
  }
  const auto& stats = request.method->stats;
  const auto at = std::find(stats.begin(), stats.end(), kDivergent);
  for (const FinishedChain& chain : chains) {
    const auto first =
        chain.chain.stats.begin() + (at - stats.begin()) * static_cast<std::ptrdiff_t>(chain.chain.draws);
    if (at == stats.end()) break;
    for (std::size_t i = 0; i < chain.chain.draws; ++i)
      result.divergences += *(first + static_cast<std::ptrdiff_t>(i)) != 0 ? 1 : 0;
  }
  return result;
}

}  // namespace

certify::Terms terms_of(const Request& request, std::function<bool()> should_stop) {
  const std::size_t threads = request.threads > 0 ? request.threads : std::thread::hardware_concurrency();
  return {.tolerance = request.tolerance.value_or(kDefaultTolerance),
          .seed = request.seed,
          .threads = std::max<std::size_t>(1, threads),
          .should_stop = std::move(should_stop)};
}

void check_can_be_judged(const infer::Method& method, const infer::Options& options) {
  if (is_chained(method)) return;
  if (method.has_log_q && options[infer::option::kFamily] != "semi-implicit") return;
  throw Error(ErrorKind::usage,
              fmt::format("--tolerance: draws of {} cannot be judged, since they come without log q.",
                          method.has_log_q ? "a semi-implicit family" : std::string(method.name)),
              "Leave it out, or take `--method vi`, laplace, pathfinder, flow or nuts.");
}

certify::Judged judge(const Request& request, const LoadedModel& model, const certify::ModeSearch& modes,
                      std::vector<FinishedChain>& chains, const certify::Terms& terms) {
  note_event(request, "judging", fmt::format("\"method\": \"{}\"", request.method->name));
  if (is_chained(*request.method))
    return {certify::certify_chains(values_of(request, model, chains), terms), {}, false};
  FinishedChain& only = chains.front();
  if (model.stan != nullptr) model.stan->use_threads(terms.threads);
  certify::Judged judged =
      certify::certify_approximation(only.result.draws, *model.density, *model.outputs, modes, terms);
  for (const double weight : judged.weights) only.chain.log_weight.push_back(std::log(weight));
  return judged;
}

std::size_t draws_for(double tolerance) {
  constexpr double kLeast = 4000;
  constexpr double kMost = 100'000;
  return static_cast<std::size_t>(std::clamp(std::ceil(40 / (tolerance * tolerance)), kLeast, kMost));
}

}  // namespace kullback::fit
