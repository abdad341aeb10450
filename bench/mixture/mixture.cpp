// For bench/mixture.py.
//   mixture_bench pass ROWS COLUMNS COMPONENTS COVARIANCE   passes over simulated data on two threads
//   mixture_bench evaluate PARAMETERS DATA COMPONENTS COLUMNS
//     log likelihood per row; PARAMETERS: weights, means, covariances, DATA: rows, as raw doubles
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "conjugate/mixture/plug_in.hpp"
#include "conjugate/record.hpp"

namespace {

using namespace kullback;
using namespace kullback::conjugate;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::vector<double> simulate(std::size_t rows, std::size_t columns, std::size_t components) {
  Random random(1);
  std::vector<double> means(components * columns), cells(rows * columns);
  for (double& mean : means) mean = 2 * random.normal();
  for (std::size_t n = 0; n < rows; ++n) {
    const auto k = static_cast<std::size_t>(random.below(components));
    const double shift = random.normal();
    for (std::size_t d = 0; d < columns; ++d) {
      cells[n * columns + d] = means[k * columns + d] + 0.5 * shift + random.normal();
    }
  }
  return cells;
}

// Half of the chunks on each of two threads; the longer of the two thread times counts.
double one_pass(const Model& model, const Batch& data, Statistics& statistics) {
  Statistics parts[2];
  double seconds[2];
  const auto work = [&](std::size_t thread) {
    parts[thread].values.assign(model.statistics_size(), 0.0);
    const double start = thread_seconds();
    for (std::size_t begin = thread * model.chunk(); begin < data.units; begin += 2 * model.chunk()) {
      model.local_step(data.part(begin, std::min(begin + model.chunk(), data.units)), {}, parts[thread]);
    }
    seconds[thread] = thread_seconds() - start;
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  statistics = parts[0];
  for (std::size_t i = 0; i < statistics.values.size(); ++i) statistics.values[i] += parts[1].values[i];
  statistics.local += parts[1].local;
  return std::max(seconds[0], seconds[1]);
}

int run_passes(char** arguments) {
  const auto rows = std::strtoul(arguments[0], nullptr, 10);
  const auto columns = std::strtoul(arguments[1], nullptr, 10);
  const ModelRecord* record = find_model("mixture", "gaussian");
  const auto model =
      record->make(read_options(record->options, {{"components", arguments[2]}, {"covariance", arguments[3]}},
                                record->kind),
                   {.columns = columns, .units = rows});
  const std::vector<double> cells = simulate(rows, columns, std::strtoul(arguments[2], nullptr, 10));
  const Batch data{.units = rows, .columns = columns, .values = cells};
  Random random(2);
  const double start = now();
  model->begin(data, random);
  model->prepare();
  const double begun = now();
  Statistics statistics;
  ExactMover mover;
  double local = 1e300, global = 1e300;
  for (int pass = 0; pass < 12; ++pass) {
    local = std::min(local, one_pass(*model, data, statistics));
    const double before = thread_seconds();
    for (std::size_t block = 0; block < model->blocks(); ++block) {
      model->global_step(block, statistics, mover);
    }
    model->prepare();
    const double bound = total(model->elbo(statistics));
    global = std::min(global, thread_seconds() - before);
    if (pass == 11) std::printf("bound per row %.6f\n", bound / static_cast<double>(rows));
  }
  std::printf("start %.3f s, local step %.2f ms on each of two threads, global step and bound %.2f ms\n",
              begun - start, 1e3 * local, 1e3 * global);
  return 0;
}

std::vector<double> read_all(const char* path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw Error(ErrorKind::missing_file, std::string("cannot read ") + path + ".");
  std::vector<double> numbers(static_cast<std::size_t>(file.tellg()) / sizeof(double));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(numbers.data()),
            static_cast<std::streamsize>(numbers.size() * sizeof(double)));
  return numbers;
}

int evaluate(char** arguments) {
  const std::vector<double> numbers = read_all(arguments[0]), cells = read_all(arguments[1]);
  const auto components = std::strtol(arguments[2], nullptr, 10);
  const auto columns = std::strtol(arguments[3], nullptr, 10);
  mixture::PlugIn parameters;
  auto at = numbers.begin();
  parameters.weights.assign(at, at + components);
  at += components;
  parameters.means.assign(at, at + components * columns);
  at += components * columns;
  parameters.covariances.assign(at, numbers.end());
  const std::size_t rows = cells.size() / static_cast<std::size_t>(columns);
  const double sum = mixture::log_likelihood(
      parameters, {.units = rows, .columns = static_cast<std::size_t>(columns), .values = cells});
  std::printf("%.10f\n", sum / static_cast<double>(rows));
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    const std::string what = count > 1 ? arguments[1] : "";
    if (what == "pass" && count == 6) return run_passes(arguments + 2);
    if (what == "evaluate" && count == 6) return evaluate(arguments + 2);
    std::fprintf(stderr, "usage: mixture_bench pass|evaluate, see bench/mixture/mixture.cpp\n");
    return 64;
  } catch (const Error& error) {
    std::fprintf(stderr, "mixture_bench: %s\n", error.message().c_str());
    return 1;
  }
}
