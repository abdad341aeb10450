// What a family costs in one step of the ELBO: 64 draws with log q, their slopes (where the family has them),
// one pull-back. docs/flows.md has the table.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "base/random.hpp"
#include "infer/vi/family.hpp"

namespace kullback::infer {
namespace {

void step(benchmark::State& state, const std::string& name) {
  const auto dim = static_cast<std::size_t>(state.range(0));
  constexpr std::size_t kLanes = 64;
  const Options options;
  const auto family = find_family(name).make({dim, {}, {}, &options});
  std::vector<double> lambda(family->parameters());
  family->begin({std::vector<double>(dim, 0.0), std::vector<double>(dim, 1.0), {}}, 1, lambda);
  std::vector<double> noise(family->noise() * kLanes);
  Random random(1);
  for (double& value : noise) value = random.normal();
  std::vector<double> theta(dim * kLanes);
  std::vector<double> slopes(dim * kLanes, 0.1);
  std::vector<double> log_q(kLanes);
  std::vector<double> gradient(lambda.size());
  const std::vector<double> share(kLanes, 1.0 / kLanes);
  const bool has_slopes = family->abilities().slopes;
  for (auto _ : state) {
    family->draw(lambda, {kLanes, noise.data(), theta.data(), log_q.data()});
    if (has_slopes) family->slopes_of_draws(lambda, slopes.data());
    family->pull_back(lambda, {kLanes, slopes.data(), has_slopes ? nullptr : share.data()}, gradient);
    benchmark::DoNotOptimize(gradient.data());
  }
  state.counters["parameters"] = static_cast<double>(lambda.size());
}

const int kRegistered = [] {
  for (const char* name : {"meanfield", "fullrank", "planar", "radial", "sylvester", "realnvp", "iaf",
                           "spline", "semi-implicit"})
    benchmark::RegisterBenchmark(name, [name](benchmark::State& state) { step(state, name); })
        ->Arg(10)
        ->Arg(100)
        ->Unit(benchmark::kMicrosecond);
  return 0;
}();

}  // namespace
}  // namespace kullback::infer
