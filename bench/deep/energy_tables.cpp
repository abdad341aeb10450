// energy_tables [plane|machine]... [--on NAME]... [--training 'NAME option=value ...']... [--seeds 5] [--steps
// 1000] [--rate 0.005] [--sampler 'NAME option=value ...']: what trainings of energies reach where the likelihood is exact. Prints
// tables; the exit code is 1 where a promise is missed.
//   plane    ring, moons and groups of rows: the log likelihood of new rows by quadrature; chains that persist
//            beat CD-1 by more than the standard error over seeds
//   machine  restricted Boltzmann machines of 12 hidden units on bars and stripes
#include <ATen/Parallel.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "tests/energy/toy.hpp"

namespace kullback::deep {
namespace {

struct Asked {
  std::vector<std::string> parts, on;
  std::vector<Part> trainings;
  Part sampler{"mala"};
  std::int64_t seeds = 5, steps = 1000;
  double rate = 0.005;
};

Part part_of(const std::string& words) {
  std::istringstream in(words);
  Part part;
  in >> part.name;
  for (std::string word; in >> word;) {
    const std::size_t at = word.find('=');
    part.options[word.substr(0, at)] = at == std::string::npos ? "" : word.substr(at + 1);
  }
  return part;
}

std::string words_of(const Part& part) {
  std::string words = part.name;
  for (const auto& [name, value] : part.options) words += " " + name + "=" + value;
  return words;
}

// Rows in the plane as centres blurred by normal noise.
struct Shape {
  std::string name;
  torch::Tensor centres;  // [many, 2], equally probable
  double sd;

  torch::Tensor rows(std::int64_t count) const {
    return centres.index_select(0, torch::randint(centres.size(0), {count}, torch::kInt64)) +
           sd * torch::randn({count, 2}, torch::kFloat64);
  }
  double log_likelihood(const torch::Tensor& x) const {
    const torch::Tensor squares = at::cdist(x, centres).square();
    const double constant = std::log(2 * std::numbers::pi * sd * sd) + std::log(static_cast<double>(centres.size(0)));
    return (at::logsumexp(-squares / (2 * sd * sd), 1) - constant).mean().item<double>();
  }
};

torch::Tensor circle(std::int64_t points) {
  const torch::Tensor angle = torch::arange(points, torch::kFloat64) * (2 * std::numbers::pi / static_cast<double>(points));
  return std::numbers::sqrt2 * at::stack({angle.cos(), angle.sin()}, 1);
}

std::vector<Shape> shapes() {
  const torch::Tensor angle = torch::linspace(0, std::numbers::pi, 1000, torch::kFloat64);
  const torch::Tensor x = at::cat({angle.cos(), 1 - angle.cos()}), y = at::cat({angle.sin(), 0.5 - angle.sin()});
  return {{"groups", circle(4), 0.25},
          {"ring", circle(1000), 0.2},
          {"moons", at::stack({(x - 0.5) / 0.87, (y - 0.25) / 0.5}, 1), 0.15}};
}

struct Figures {
  std::vector<double> values;

  double mean() const {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  }
  double error() const {
    double sum = 0;
    for (const double value : values) sum += (value - mean()) * (value - mean());
    const auto n = static_cast<double>(values.size());
    return std::sqrt(sum / (n * (n - 1)));
  }
};

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  for (const std::string& one : names)
    if (one == name) return true;
  return names.empty();
}

bool plane(const Asked& asked) {
  constexpr std::int64_t kRows = 4000, kNew = 10000, kBatch = 100;
  std::printf("%-8s %-44s %10s %8s %10s %8s %6s\n", "rows", "training", "log lik.", "se", "over CD-1", "se", "s");
  bool kept = true;
  for (const Shape& shape : shapes()) {
    if (!has(asked.on, shape.name)) continue;
    std::vector<Figures> reached(asked.trainings.size());
    std::vector<double> seconds(asked.trainings.size());
    Figures truth;
    for (std::int64_t seed = 1; seed <= asked.seeds; ++seed) {
      at::manual_seed(100 + static_cast<std::uint64_t>(seed));
      const torch::Tensor rows = shape.rows(kRows), fresh = shape.rows(kNew);
      truth.values.push_back(shape.log_likelihood(fresh));
      for (std::size_t i = 0; i < asked.trainings.size(); ++i) {
        const double start = seconds_now();
        EbmModel model = toy_model(2, {"net", {{"hidden", "32,32"}}}, asked.sampler, asked.trainings[i]);
        model.seed = static_cast<std::uint64_t>(seed);
        BuiltEbm built(model, torch::kCPU);
        const TrainOutcome outcome = train_toy(
            built, rows, {.epochs = asked.steps * kBatch / kRows, .batch = kBatch, .rate = asked.rate});
        if (!outcome.failure.empty()) std::printf("%s\n", outcome.failure.c_str());
        seconds[i] += seconds_now() - start;
        reached[i].values.push_back(exact_log_likelihood(built, fresh));
      }
    }
    std::printf("%-8s %-44s %10.4f %8.4f\n", shape.name.c_str(), "(the truth)", truth.mean(), truth.error());
    for (std::size_t i = 0; i < asked.trainings.size(); ++i) {
      Figures gain;
      for (std::size_t k = 0; k < reached[i].values.size(); ++k) gain.values.push_back(reached[i].values[k] - reached[0].values[k]);
      std::printf("%-8s %-44s %10.4f %8.4f %10.4f %8.4f %6.1f\n", "", words_of(asked.trainings[i]).c_str(), reached[i].mean(),
                  reached[i].error(), gain.mean(), gain.error(), seconds[i] / static_cast<double>(asked.seeds));
      std::fflush(stdout);
      if (i > 0) kept = kept && gain.mean() > gain.error();
    }
  }
  return kept;
}

}  // namespace
}  // namespace kullback::deep

int main(int argc, char** argv) {
  using namespace kullback::deep;
  Asked asked;
  const std::vector<std::string> words(argv + 1, argv + argc);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].starts_with("--") && i + 1 < words.size()) {
      const std::string& value = words[++i];
      if (words[i - 1] == "--on") asked.on.push_back(value);
      if (words[i - 1] == "--training") asked.trainings.push_back(part_of(value));
      if (words[i - 1] == "--sampler") asked.sampler = part_of(value);
      if (words[i - 1] == "--seeds") asked.seeds = std::stoll(value);
      if (words[i - 1] == "--steps") asked.steps = std::stoll(value);
      if (words[i - 1] == "--rate") asked.rate = std::stod(value);
    } else {
      asked.parts.push_back(words[i]);
    }
  }
  if (asked.trainings.empty()) asked.trainings = {{"cd", {{"chain-steps", "1"}}}, {"persistent"}, {"weighted"}};
  at::set_num_threads(1);
  return plane(asked) ? 0 : 1;
}
