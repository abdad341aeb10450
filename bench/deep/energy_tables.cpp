// energy_tables [plane] [machine] [--on groups|ring|moons]... [--training 'NAME option=value ...']...
//               [--sampler 'NAME option=value ...'] [--seeds 5] [--steps 1000] [--rate 0.015]
// What trainings of energies reach where the likelihood is exact: means over seeds with their standard
// errors, and gains over the first training on the same rows (CD-1 where none is named). Prints tables; the
// exit code is 1 where chains that persist do not beat CD-1 by more than the standard error.
//   plane    networks on groups, a ring and moons in the plane: 10,000 new rows, Z by quadrature
//   machine  machines of 16 visible and 12 hidden units on bars and stripes: Z by sums
#include <ATen/Parallel.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "deep/part.hpp"
#include "tests/energy/toy.hpp"

namespace kullback::deep {
namespace {

struct Asked {
  std::vector<std::string> parts, on;
  std::vector<Told> trainings;
  Told sampler{"mala"};
  std::int64_t seeds = 5, steps = 1000;
  double rate = 0.015;
};

Told told_of(const std::string& words) {
  std::istringstream in(words);
  Told part;
  in >> part.name;
  for (std::string word; in >> word;) {
    const std::size_t at = word.find('=');
    part.options[underscored(word.substr(0, at))] = at == std::string::npos ? "" : word.substr(at + 1);
  }
  return part;
}

std::string words_of(const Told& part) {
  std::string words = part.name;
  for (const auto& [name, value] : part.options) words += " " + name + "=" + value;
  return words;
}

// Rows in the plane: centres blurred by normal noise.
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
    const double constant =
        std::log(2 * std::numbers::pi * sd * sd) + std::log(static_cast<double>(centres.size(0)));
    return (at::logsumexp(-squares / (2 * sd * sd), 1) - constant).mean().item<double>();
  }
};

torch::Tensor circle(std::int64_t points) {
  const torch::Tensor angle =
      torch::arange(points, torch::kFloat64) * (2 * std::numbers::pi / static_cast<double>(points));
  return std::numbers::sqrt2 * at::stack({angle.cos(), angle.sin()}, 1);
}

std::vector<Shape> shapes() {
  const torch::Tensor angle = torch::linspace(0, std::numbers::pi, 1000, torch::kFloat64);
  const torch::Tensor x = at::cat({angle.cos(), 1 - angle.cos()});
  const torch::Tensor y = at::cat({angle.sin(), 0.5 - angle.sin()});
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

bool is_asked(const std::vector<std::string>& names, const std::string& name) {
  for (const std::string& one : names)
    if (one == name) return true;
  return names.empty();
}

// The log likelihood that a training reaches.
using Reached = std::function<double(const Told& training, std::uint64_t seed)>;

bool table_of(const std::string& name, const Asked& asked, const Figures& best, const Reached& reached) {
  std::vector<Figures> all(asked.trainings.size());
  std::vector<double> seconds(asked.trainings.size());
  for (std::int64_t seed = 1; seed <= asked.seeds; ++seed)
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double start = seconds_now();
      all[i].values.push_back(reached(asked.trainings[i], static_cast<std::uint64_t>(seed)));
      seconds[i] += (seconds_now() - start) / static_cast<double>(asked.seeds);
    }
  std::printf("%-8s %-42s %9.4f\n", name.c_str(), "(the truth)", best.mean());
  bool is_kept = true;
  for (std::size_t i = 0; i < all.size(); ++i) {
    Figures gain;
    for (std::size_t k = 0; k < all[i].values.size(); ++k)
      gain.values.push_back(all[i].values[k] - all[0].values[k]);
    std::printf("%-8s %-42s %9.4f %7.4f %9.4f %7.4f %6.1f\n", "", words_of(asked.trainings[i]).c_str(),
                all[i].mean(), all[i].error(), gain.mean(), gain.error(), seconds[i]);
    if (i > 0) is_kept = is_kept && gain.mean() > gain.error();
  }
  std::fflush(stdout);
  return is_kept;
}

double trained_to(EbmModel model, std::uint64_t seed, const torch::Tensor& rows, const torch::Tensor& fresh,
                  const ToyTraining& how) {
  model.seed = seed;
  BuiltEbm built(std::move(model), torch::kCPU);
  const TrainOutcome outcome = train_toy(built, rows, how);
  if (!outcome.failure.empty()) std::printf("%s\n", outcome.failure.c_str());
  return exact_log_likelihood(built, fresh);
}

bool plane(const Asked& asked) {
  constexpr std::int64_t kRows = 4000, kNew = 10'000, kBatch = 100;
  const auto data = [](const Shape& shape, std::uint64_t seed) {
    at::manual_seed(100 + seed);
    const torch::Tensor rows = shape.rows(kRows);
    return std::pair(rows, shape.rows(kNew));
  };
  bool is_kept = true;
  for (const Shape& shape : shapes()) {
    if (!is_asked(asked.on, shape.name)) continue;
    Figures truth;
    for (std::int64_t seed = 1; seed <= asked.seeds; ++seed)
      truth.values.push_back(shape.log_likelihood(data(shape, static_cast<std::uint64_t>(seed)).second));
    is_kept &= table_of(shape.name, asked, truth, [&](const Told& training, std::uint64_t seed) {
      const auto [rows, fresh] = data(shape, seed);
      return trained_to(toy_model(2, {"net", {{"hidden", "32,32"}}}, asked.sampler, training), seed, rows,
                        fresh, {.epochs = asked.steps * kBatch / kRows, .batch = kBatch, .rate = asked.rate});
    });
  }
  return is_kept;
}

bool machine(const Asked& asked) {
  const torch::Tensor data = bars_and_stripes(4);
  return table_of("machine", asked, {{-std::log(static_cast<double>(data.size(0)))}},
                  [&](const Told& training, std::uint64_t seed) {
                    return trained_to(toy_model(16, {"rbm", {{"hidden-units", "12"}}}, {"gibbs"}, training),
                                      seed, data.repeat({10, 1}), data,
                                      {.epochs = 400, .batch = 100, .rate = 0.01});
                  });
}

Asked asked_by(const std::vector<std::string>& words) {
  Asked asked;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "plane" || word == "machine") {
      asked.parts.push_back(word);
      continue;
    }
    if (i + 1 == words.size())
      throw Error(ErrorKind::usage, word + ": is no part, and no option with a value.");
    const std::string& value = words[++i];
    if (word == "--on")
      asked.on.push_back(value);
    else if (word == "--training")
      asked.trainings.push_back(told_of(value));
    else if (word == "--sampler")
      asked.sampler = told_of(value);
    else if (word == "--seeds")
      asked.seeds = std::stoll(value);
    else if (word == "--steps")
      asked.steps = std::stoll(value);
    else if (word == "--rate")
      asked.rate = std::stod(value);
    else
      throw Error(ErrorKind::usage, word + ": there is no such option.");
  }
  if (asked.trainings.empty()) asked.trainings = {{"cd"}, {"persistent"}, {"weighted"}};
  return asked;
}

int run(const std::vector<std::string>& words) {
  const Asked asked = asked_by(words);
  at::set_num_threads(1);
  std::printf("%-8s %-42s %9s %7s %9s %7s %6s\n", "rows", "training", "log lik.", "se", "gain", "se", "s");
  bool is_kept = true;
  if (is_asked(asked.parts, "plane")) is_kept &= plane(asked);
  if (is_asked(asked.parts, "machine")) is_kept &= machine(asked);
  return is_kept ? 0 : 1;
}

}  // namespace
}  // namespace kullback::deep

int main(int argc, char** argv) {
  try {
    return kullback::deep::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "energy_tables: %s\n", error.what());
    return 64;
  }
}
