// Stan's own NUTS on kullback's density: what differs from `kullback fit` is the sampler alone. Prints the
// summary of the draws by kullback's statistics, and the gradients that were taken, as JSON. usage:
// stan_sampler LIBRARY PROGRAM DATA SEED [CHAINS WARMUP DRAWS]   (LIBRARY: of bench/rivals/stan_nuts.cpp)
#include <dlfcn.h>
#include <fmt/format.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "fit/chain_outputs.hpp"
#include "fit/loaded_model.hpp"
#include "infer/algorithm.hpp"
#include "posterior/summary.hpp"
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

StanNuts* load(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  void* function = dlsym(library, "stan_nuts");
  if (function == nullptr) throw std::runtime_error(std::string(path) + ": has no stan_nuts");
  return reinterpret_cast<StanNuts*>(function);
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
                          static_cast<int>(options.warmup),
                          static_cast<int>(options.draws),
                          options.target_accept,
                          static_cast<int>(options.max_depth)};
  char problem[2048] = "";
  const int code = sample(&task, problem, sizeof problem);
  // Where no first step size is found, Stan ends without draws and without an error.
  if (code != 0 || recorder.result.draws.count() != options.draws) throw std::runtime_error(problem);
  return recorder;
}

double stat_sum(const infer::Draws& draws, std::size_t stat) {
  double sum = 0;
  for (std::size_t i = stat; i < draws.stats.size(); i += kStats) sum += draws.stats[i];
  return sum;
}

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void run(const Setting& setting) {
  const fit::Request& request = setting.request;
  const auto program = fit::load_program(request.inputs);
  if (!program->understood.program) throw std::runtime_error(request.inputs.program + ": has errors");
  const fit::LoadedModel model =
      fit::load_model(*program, request.inputs, {.jacobian = true, .seed = request.seed});
  StanNuts* sample = load(setting.library);
  posterior::Posterior posterior;
  posterior.names = model.outputs->column_names();
  posterior.parameters = model.outputs->parameter_columns();
  posterior.generated = model.outputs->generated_columns_begin();
  const double began = processor_seconds();
  std::uint64_t gradients = 0;
  double leapfrogs = 0, divergences = 0, acceptance = 0;
  std::string step_sizes, problem;
  for (std::size_t chain = 0; chain < request.chains; ++chain) {
    const Recorder recorder = run_chain(sample, request, *model.density, chain);
    const infer::Draws& draws = recorder.result.draws;
    gradients += recorder.gradients;
    leapfrogs += stat_sum(draws, kLeapfrogs);
    divergences += stat_sum(draws, kDivergent);
    acceptance += stat_sum(draws, 0) / static_cast<double>(draws.count() * request.chains);
    step_sizes += fmt::format("{}{}", chain > 0 ? ", " : "", draws.stats[kStepSize]);
    posterior.chains.push_back(fit::make_chain(request, *model.outputs, chain, recorder.result, problem));
  }
  const double seconds = processor_seconds() - began;
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
    setting.request.options.warmup = std::strtoull(argv[6], nullptr, 10);
    setting.request.options.draws = std::strtoull(argv[7], nullptr, 10);
  }
  return setting;
}

}  // namespace

int main(int argc, char** argv) try { run(read_setting(argc, argv)); } catch (const kullback::Error& error) {
  std::fprintf(stderr, "stan_sampler: %s\n", error.message().c_str());
  return 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "stan_sampler: %s\n", error.what());
  return 1;
}
