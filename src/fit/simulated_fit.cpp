// With b the weight of draws below the truth, of S equal ones, and v uniform, u = (S b + v) / (S + 1): among
// S exact draws the truth has each rank with the same probability, so that u is exactly uniform.
#include "fit/simulated_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "base/random.hpp"
#include "infer/start.hpp"
#include "model/outputs.hpp"

namespace kullback::fit {

namespace {

using infer::Purpose;

constexpr std::size_t kFewestDraws = 10;

// Constrained parameters of the draws, column after column.
std::vector<double> parameter_columns(const infer::Draws& draws,
                                      const std::shared_ptr<const model::Prepared>& prepared,
                                      std::uint64_t seed, std::size_t parameters) {
  model::Outputs outputs(prepared);
  std::vector<double> row(outputs.column_names().size());
  std::vector<double> columns(parameters * draws.count());
  for (std::size_t i = 0; i < draws.count(); ++i) {
    Random random(seed, 0, static_cast<std::uint32_t>(Purpose::generated_quantities),
                  static_cast<std::uint32_t>(i));
    outputs.write(draws.theta.data() + i * draws.dim, random, row.data());
    for (std::size_t j = 0; j < parameters; ++j) columns[j * draws.count() + i] = row[j];
  }
  return columns;
}

// They sum to 1.
std::vector<double> weights_of(const infer::Draws& draws) {
  std::vector<double> weights(draws.count(), 1 / static_cast<double>(draws.count()));
  if (draws.log_weight.empty()) return weights;
  double total = 0;
  double largest = draws.log_weight.front();
  for (const double lw : draws.log_weight) largest = std::max(largest, lw);
  for (std::size_t i = 0; i < weights.size(); ++i)
    total += weights[i] = std::exp(draws.log_weight[i] - largest);
  for (double& weight : weights) weight /= total;
  return weights;
}

void place_truth(const std::vector<double>& columns, const std::vector<double>& weights, Random& random,
                 SimulatedFit& fit) {
  const bool is_weighted =
      std::adjacent_find(weights.begin(), weights.end(), std::not_equal_to<>()) != weights.end();
  const std::size_t count = weights.size();
  for (std::size_t j = 0; j < fit.truth.size(); ++j) {
    const double* values = columns.data() + j * count;
    double below = 0, equal = 0, mean = 0, square = 0;
    for (std::size_t i = 0; i < count; ++i) {
      below += values[i] < fit.truth[j] ? weights[i] : 0;
      equal += values[i] == fit.truth[j] ? weights[i] : 0;
      mean += weights[i] * values[i];
    }
    for (std::size_t i = 0; i < count; ++i) square += weights[i] * (values[i] - mean) * (values[i] - mean);
    const auto of = static_cast<double>(count);
    fit.u.push_back((of * below + random.uniform() * (of * equal + 1)) / (of + 1));
    const bool is_fixed = square == 0 && mean == fit.truth[j];  // a corner of a Cholesky factor
    fit.placements.push_back(
        stats::place({values, count}, is_weighted ? weights : std::vector<double>(), fit.truth[j]));
    fit.z.push_back(is_fixed ? 0 : (mean - fit.truth[j]) / std::sqrt(square));
  }
}

std::string failure_of(const Error& error) {
  return error.hint().empty() ? error.message() : error.message() + " " + error.hint();
}

// Draws of one run; fewer than asked for where it was stopped.
infer::Draws run_method(const CalibrateRequest& request, density::LogDensity& density, infer::Start start,
                        const std::atomic<bool>& stop, SimulatedFit& fit) {
  const auto algorithm = request.method->make(density, request.options, std::move(start));
  infer::Draws draws;
  draws.dim = density.dim();
  while (!stop.load(std::memory_order_relaxed)) {
    if (algorithm->step(draws)) continue;
    fit.is_done = true;
    break;
  }
  fit.gradients = algorithm->progress().gradients;
  return draws;
}

void fit_data(const CalibrationSetting& setting, model::Data data, std::uint64_t seed,
              const std::atomic<bool>& stop, SimulatedFit& fit) {
  const auto& [request, program, parameters] = setting;
  model::StanModel model(*program.understood.program, program.sources, std::move(data),
                         {.seed = request.seed, .max_memory = request.inputs.max_memory});
  infer::FoundStart start = infer::find_start(model, {.seed = seed});
  if (!start.is_ok)
    throw Error(ErrorKind::bad_input,
                fmt::format("the density is not finite at any of {} starting points: {}", start.tries,
                            start.message));
  const infer::Draws draws = run_method(request, model, {std::move(start.theta), seed, 0}, stop, fit);
  if (!fit.is_done) return;
  if (draws.count() < kFewestDraws)
    throw Error(ErrorKind::bad_input,
                fmt::format("the fit has {} draws; at least {} are needed.", draws.count(), kFewestDraws));
  Random random(seed, 0, static_cast<std::uint32_t>(Purpose::resample), 0);
  place_truth(parameter_columns(draws, model.prepared(), seed, parameters), weights_of(draws), random, fit);
  for (const double z : fit.z) {
    if (!std::isfinite(z))
      throw Error(ErrorKind::bad_input, "draws of the fit are not finite, or all the same.");
  }
}

}  // namespace

SimulatedFit fit_simulation(const CalibrationSetting& setting, model::Simulator& simulator, std::size_t index,
                            const std::atomic<bool>& stop) {
  const CalibrateRequest& request = setting.request;
  const auto stream = static_cast<std::uint32_t>(index);
  Random random(request.seed, 0, static_cast<std::uint32_t>(Purpose::generated_quantities), stream);
  std::vector<double> row(simulator.column_names().size());
  simulator.draw(random, row.data());
  SimulatedFit fit;
  fit.truth.assign(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(setting.parameters));
  const std::uint64_t seed =
      Random(request.seed, stream, static_cast<std::uint32_t>(Purpose::approximation), 0)();
  try {
    fit_data(setting, simulator.data(), seed, stop, fit);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::bad_input) throw;
    fit.is_done = true;
    fit.failure = failure_of(error);
  }
  return fit;
}

}  // namespace kullback::fit
