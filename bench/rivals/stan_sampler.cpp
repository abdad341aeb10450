// Stan's own NUTS on kullback's density: what differs from `kullback fit` is the sampler alone. Prints the
// summary of the draws by kullback's statistics, and the gradients that were taken, as JSON. usage:
// stan_sampler LIBRARY PROGRAM DATA SEED [CHAINS WARMUP DRAWS]   (LIBRARY: of bench/rivals/stan_nuts.cpp)
#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "fit/chain_outputs.hpp"
#include "infer/algorithm.hpp"
#include "infer/mcmc/options.hpp"
#include "posterior/summary.hpp"
#include "stan_driver.hpp"
#include "stan_nuts.hpp"

namespace {

using namespace kullback;

constexpr std::size_t kStats = 6;
constexpr std::size_t kStepSize = 1, kLeapfrogs = 3, kDivergent = 4;

struct Setting {
  const char* library = nullptr;
  fit::Request request;
};

// One chain under way.
struct Recorder {
  density::LogDensity* density = nullptr;
  std::uint64_t gradients = 0;
  fit::ChainResult result;
};

int gradient(void* context, const double* theta, double* log_density, double* slopes) {
  auto& recorder = *static_cast<Recorder*>(context);
  density::Status status = density::Status::ok;
  recorder.density->evaluate({1, theta, log_density, slopes, &status});
  ++recorder.gradients;
  return status == density::Status::ok ? 1 : 0;
}

void draw(void* context, const double* stats, const double* theta) {
  infer::Draws& draws = static_cast<Recorder*>(context)->result.draws;
  draws.theta.insert(draws.theta.end(), theta, theta + draws.dim);
  draws.stats.insert(draws.stats.end(), stats, stats + kStats);
  draws.log_density.push_back(0);  // Stan's differs by a constant, and is not compared
}

Recorder run_chain(StanNuts* sample, const fit::Request& request, density::LogDensity& density,
                   std::size_t chain) {
  Recorder recorder{&density, 0, {}};
  recorder.result.draws.dim = density.dim();
  const infer::Options& options = request.options;
  const StanNutsTask task{density.dim(),
                          &recorder,
                          gradient,
                          draw,
                          static_cast<unsigned>(request.seed),
                          static_cast<unsigned>(chain + 1),
                          static_cast<int>(options[infer::option::kWarmup]),
                          static_cast<int>(options[infer::option::kDraws]),
                          options[infer::option::kTargetAccept],
                          static_cast<int>(options[infer::option::kMaxDepth])};
  char problem[2048] = "";
  const int code = sample(&task, problem, sizeof problem);
  // Where no first step size is found, Stan ends without draws and without an error.
  if (code != 0 || recorder.result.draws.count() != options[infer::option::kDraws])
    throw std::runtime_error(problem);
  return recorder;
}

double stat_sum(const infer::Draws& draws, std::size_t stat) {
  double sum = 0;
  for (std::size_t i = stat; i < draws.stats.size(); i += kStats) sum += draws.stats[i];
  return sum;
}

void run(const Setting& setting) {
  const fit::Request& request = setting.request;
  rivals::Subject subject(request, {.jacobian = true, .seed = request.seed});
  auto* sample = rivals::load_function<StanNuts>(setting.library, "stan_nuts");
  posterior::Posterior posterior = subject.empty_posterior();
  const double began = rivals::processor_seconds();
  std::uint64_t gradients = 0;
  double leapfrogs = 0, divergences = 0, acceptance = 0;
  std::string step_sizes, problem;
  for (std::size_t chain = 0; chain < request.chains; ++chain) {
    const Recorder recorder = run_chain(sample, request, *subject.model.density, chain);
    const infer::Draws& draws = recorder.result.draws;
    gradients += recorder.gradients;
    leapfrogs += stat_sum(draws, kLeapfrogs);
    divergences += stat_sum(draws, kDivergent);
    acceptance += stat_sum(draws, 0) / static_cast<double>(draws.count() * request.chains);
    step_sizes += fmt::format("{}{}", chain > 0 ? ", " : "", draws.stats[kStepSize]);
    posterior.chains.push_back(
        fit::make_chain(request, *subject.model.outputs, chain, recorder.result, problem));
  }
  const double seconds = rivals::processor_seconds() - began;
  fmt::print(
      "{{\"gradients\": {}, \"sampling_gradients\": {}, \"divergences\": {}, \"acceptance\": {}, "
      "\"step_sizes\": [{}], \"processor_seconds\": {},\n\"summary\": {}}}\n",
      gradients, leapfrogs, divergences, acceptance, step_sizes, seconds,
      posterior::to_json({posterior::summarize(posterior, true), {}}));
}

Setting read_setting(int argc, char** argv) {
  if (argc != 5 && argc != 8)
    throw std::runtime_error("usage: stan_sampler LIBRARY PROGRAM DATA SEED [CHAINS WARMUP DRAWS]");
  Setting setting{argv[1], {}};
  setting.request.inputs = {.program = argv[2], .data = argv[3]};
  setting.request.method = infer::find_method("nuts");
  setting.request.seed = std::strtoull(argv[4], nullptr, 10);
  if (argc == 8) {
    setting.request.chains = std::strtoull(argv[5], nullptr, 10);
    setting.request.options.set("warmup", std::strtoull(argv[6], nullptr, 10));
    setting.request.options.set("draws", std::strtoull(argv[7], nullptr, 10));
  }
  return setting;
}

}  // namespace

int main(int argc, char** argv) {
  return rivals::guarded("stan_sampler", [&] { run(read_setting(argc, argv)); });
}
