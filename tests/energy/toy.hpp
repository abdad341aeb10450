// Energies of tests: made by name, trained on rows in memory.
#pragma once

#include <torch/types.h>

#include <cmath>
#include <memory>
#include <numbers>
#include <string>

#include "deep/energy/fit/model.hpp"
#include "deep/energy/fit/trainee.hpp"
#include "deep/train/train.hpp"

namespace kullback::deep {

using Words = GivenTexts;

// A part with options by their texts.
struct Told {
  std::string name = {};
  Words options = {};
};

template <class Record>
Part part_of(const Told& told, const Record& record) {
  return {told.name, read_options(record.options, told.options, told.name)};
}

inline EbmModel toy_model(std::int64_t dim, const Told& energy, const Told& sampler = {"mala"},
                          const Told& training = {"persistent"}) {
  EbmModel model;
  model.dim = dim;
  model.names.resize(static_cast<std::size_t>(dim), "x");
  model.energy = part_of(energy, energy_named(energy.name));
  model.sampler = part_of(sampler, chain_sampler_named(sampler.name));
  model.training = part_of(training, energy_training_named(training.name));
  model.precision = Precision::float64;
  model.seed = 3;
  return model;
}

// Weights as a trained machine has them, of size about 1.
inline std::unique_ptr<BuiltEbm> toy_rbm(std::int64_t visible, std::int64_t hidden, double size = 1) {
  auto built =
      std::make_unique<BuiltEbm>(toy_model(visible, {"rbm", {{"hidden_units", std::to_string(hidden)}}},
                                           {"gibbs"}, {"persistent", {{"chains", "100"}}}),
                                 torch::kCPU);
  at::manual_seed(7);
  built->start((torch::rand({50, visible}, torch::kFloat64) < 0.4).to(torch::kFloat64));
  built->flat().copy_(size * torch::randn_like(built->flat()));
  return built;
}

// All states of `bits` bits, [2^bits, bits].
inline torch::Tensor all_states(std::int64_t bits) {
  const torch::Tensor numbers = torch::arange(std::int64_t{1} << bits, torch::kInt64).unsqueeze(1);
  return at::floor_divide(numbers, torch::pow(2, torch::arange(bits, torch::kInt64)).unsqueeze(0))
      .remainder(2)
      .to(torch::kFloat64);
}

// Images of side x side bits with rows or columns that are lit as a whole: 14 of side 3, 30 of side 4.
inline torch::Tensor bars_and_stripes(std::int64_t side) {
  const torch::Tensor lines = all_states(side);
  const torch::Tensor across = lines.repeat_interleave(side, 1), down = lines.repeat({1, side});
  // All empty and all full are in both.
  return at::cat({across, down.narrow(0, 1, down.size(0) - 2)});
}

// Rows in the plane, of mean 0 and sd about 1.
inline torch::Tensor ring_of_gaussians(std::int64_t rows, std::int64_t modes, double sd) {
  const torch::Tensor mode = torch::randint(modes, {rows}, torch::kFloat64);
  const torch::Tensor angle = mode * (2 * std::numbers::pi / static_cast<double>(modes));
  return std::numbers::sqrt2 * at::stack({angle.cos(), angle.sin()}, 1) +
         sd * torch::randn({rows, 2}, torch::kFloat64);
}

inline torch::Tensor moons(std::int64_t rows) {
  const torch::Tensor side = torch::randint(2, {rows}, torch::kFloat64);
  const torch::Tensor angle = torch::rand({rows}, torch::kFloat64) * std::numbers::pi;
  const torch::Tensor x = at::where(side > 0, 1 - angle.cos(), angle.cos());
  const torch::Tensor y = at::where(side > 0, 0.5 - angle.sin(), angle.sin());
  return at::stack({(x - 0.5) / 0.87, (y - 0.25) / 0.5}, 1) + 0.15 * torch::randn({rows, 2}, torch::kFloat64);
}

struct ToyTraining {
  std::int64_t epochs = 10;
  std::int64_t batch = 100;
  double rate = 0.003;
};

inline TrainOutcome train_toy(BuiltEbm& built, const torch::Tensor& rows, const ToyTraining& how) {
  built.start(rows);
  EbmTrace trace;
  EbmTrainee trainee(built, built.prepared(rows), {}, {.rate = how.rate}, trace);
  return train(trainee, {.epochs = how.epochs, .batch = how.batch, .seed = 5}, Ranks());
}

// Mean log p of rows in their own units, with the exact constant.
inline double exact_log_likelihood(const BuiltEbm& built, const torch::Tensor& rows) {
  const torch::NoGradGuard no_gradient;
  return mean_log_density(built, built.prepared(rows),
                          built.energy().log_partition(built.parameters()).item<double>()) +
         built.log_units();
}

}  // namespace kullback::deep
