// A fit by stanli through the C interface of its shared library, without Python: program, data, chains, all
// columns of the draws, summary and diagnostics. Prints the mean of each column, and what the sampler
// counted, as JSON; writes no file. usage: stanli_sampler LIBRARY PROGRAM DATA SEED THREADS
#include <dlfcn.h>

#include <cstdint>

#include "timer.hpp"

namespace {

struct ModelOptions {
  std::uint32_t seed = 1;
  int threads_per_chain = 1;
  int fast_math = 0;
};

struct SampleOptions {
  std::uint32_t seed;
  int chains;
  int chain_id;
  int warmup;
  int samples;
  int thin;
  double delta;
  int max_depth;
  int save_warmup;
  double init_radius;
  const double* inits;
  int num_threads;
};

struct MetricOptions {
  int metric;
  const double* inv_metric;
  double step_size;
  int adapt_engaged;
  double* adapted_step_size;
  double* adapted_inv_metric;
};

struct ChainReport {
  double warmup_seconds;
  double sampling_seconds;
  std::int64_t divergent;
  std::int64_t max_treedepth;
};

constexpr std::int64_t kSamplerColumns = 7;
constexpr std::int64_t kLeapfrogs = 4;
constexpr std::int64_t kStatistics = 10;
constexpr std::int64_t kMean = 0, kBulk = 7;

void* library = nullptr;

template <class Function>
Function* symbol(const char* name) {
  void* found = dlsym(library, name);
  if (found == nullptr) throw std::runtime_error(std::string("the library has no ") + name);
  return reinterpret_cast<Function*>(found);
}

void* make_model(const char* program_path, const char* data_path, std::uint32_t seed) {
  auto* make = symbol<void*(const char*, const char*, const ModelOptions*, char*, std::size_t)>(
      "stanli_model_new_from_stan_with_opts");
  const std::string program = timer::read_file(program_path), data = timer::read_file(data_path);
  char error[4096] = "";
  const ModelOptions options{seed, 1, 0};
  void* model = make(program.c_str(), data.c_str(), &options, error, sizeof error);
  if (model == nullptr) throw std::runtime_error(error);
  return model;
}

void sample(void* model, const SampleOptions& options, std::vector<double>& theta, std::vector<double>& stats,
            std::vector<double>& columns) {
  using Progress = void(std::int32_t, std::int64_t, std::int64_t, std::int32_t, void*);
  using Poll = int(void*);
  auto* run =
      symbol<int(void*, const SampleOptions*, const MetricOptions*, int, double*, double*, double*, Progress*,
                 void*, Poll*, void*, int*, ChainReport*, char*, std::size_t)>("stanli_sample_multi_metric");
  MetricOptions metric{};
  symbol<void(MetricOptions*)>("stanli_metric_opts_init")(&metric);
  std::vector<double> step_sizes(static_cast<std::size_t>(options.chains)), inv_metric(theta.size());
  metric.metric = 1;  // diag_e
  metric.adapted_step_size = step_sizes.data();
  metric.adapted_inv_metric = inv_metric.data();
  std::vector<ChainReport> reports(static_cast<std::size_t>(options.chains));
  int interrupted = 0;
  char error[4096] = "";
  if (run(
          model, &options, &metric, 0, theta.data(), stats.data(), columns.data(), nullptr, nullptr,
          [](void*) { return 0; }, nullptr, &interrupted, reports.data(), error, sizeof error) != 0)
    throw std::runtime_error(error);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 6) throw std::runtime_error("usage: stanli_sampler LIBRARY PROGRAM DATA SEED THREADS");
  library = dlopen(argv[1], RTLD_NOW);
  if (library == nullptr) throw std::runtime_error(dlerror());
  SampleOptions options{};
  symbol<void(SampleOptions*)>("stanli_sample_opts_init")(&options);
  options.seed = static_cast<std::uint32_t>(std::atol(argv[4]));
  options.num_threads = std::atoi(argv[5]);
  if (options.chains != 4 || options.warmup != 1000 || options.samples != 1000)
    throw std::runtime_error("the library's options are not laid out as expected");
  void* model = make_model(argv[2], argv[3], options.seed);
  const std::int64_t dim = symbol<std::int64_t(const void*)>("stanli_n_unconstrained")(model);
  const std::int64_t rows = options.chains * options.samples;
  std::vector<double> theta(static_cast<std::size_t>(rows * dim));
  std::vector<double> stats(static_cast<std::size_t>(rows * kSamplerColumns));
  const std::int64_t width = symbol<std::int64_t(const void*)>("stanli_wa_n_columns")(model);
  std::vector<double> columns(static_cast<std::size_t>(rows * width));
  sample(model, options, theta, stats, columns);
  std::vector<double> summary(static_cast<std::size_t>(width * kStatistics));
  symbol<int(const double*, std::int64_t, std::int64_t, std::int64_t, double*)>("stanli_summary_stats")(
      columns.data(), options.chains, options.samples, width, summary.data());
  std::vector<char> text(1 << 16);
  auto* name_of = symbol<const char*(const void*, std::int64_t)>("stanli_wa_column_name");
  std::vector<std::string> names;
  for (std::int64_t j = 0; j < width; ++j) names.emplace_back(name_of(model, j));
  std::vector<const char*> name_pointers;
  for (const std::string& name : names) name_pointers.push_back(name.c_str());
  symbol<std::int64_t(const double*, std::int64_t, std::int64_t, std::int64_t, const char* const*,
                      const double*, int, char*, std::size_t)>("stanli_diagnose_text")(
      columns.data(), options.chains, options.samples, width, name_pointers.data(), stats.data(),
      options.max_depth, text.data(), text.size());
  double leapfrogs = 0;
  for (std::int64_t i = 0; i < rows; ++i)
    leapfrogs += stats[static_cast<std::size_t>(i * kSamplerColumns + kLeapfrogs)];
  std::printf("{\"sampling_gradients\": %.0f, \"parameters\": [", leapfrogs);
  for (std::int64_t j = 0; j < width; ++j) {
    std::printf("%s{\"name\": \"%s\", \"mean\": ", j > 0 ? ", " : "",
                names[static_cast<std::size_t>(j)].c_str());
    timer::print_number(summary[static_cast<std::size_t>(j * kStatistics + kMean)]);
    std::printf(", \"ess_bulk\": ");
    timer::print_number(summary[static_cast<std::size_t>(j * kStatistics + kBulk)]);
    std::printf("}");
  }
  std::printf("]}\n");
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
