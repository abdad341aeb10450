// simulate_program MODEL.stan DATA.json [DRAWS]: draws from a program's prior; each draw's parameters must
// have a finite log density with its simulated data. For tests/corpus/simulate.py.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/random.hpp"
#include "lang/front_end.hpp"
#include "model/simulate.hpp"
#include "model/stan_model.hpp"
#include "model/unconstrain.hpp"

namespace {

using namespace kullback;

// Empty where the density is finite.
std::string problem_of_draw(const lang::Program& program, const SourceMap& sources,
                            const model::Simulator& simulator) {
  try {
    model::StanModel model(program, sources, simulator.data());
    const std::vector<double> fallback(model.dim());
    const std::vector<double> theta =
        model::unconstrain(*model.prepared(), simulator.params(), fallback).theta;
    double log_density = 0;
    density::Status status = density::Status::ok;
    model.evaluate({1, theta.data(), &log_density, nullptr, &status});
    return status == density::Status::ok ? "" : "density: " + model.message();
  } catch (const Error& error) {  // data outside their bounds, numbers that underflow
    return "edge: " + error.message();
  }
}

int run(const char* path, const char* data, int draws) {
  SourceMap sources;
  const FileId file = sources.add(path, read_file(path));
  const lang::Understood understood = lang::understand(sources, file, {.lint = false});
  if (!understood.program) {
    std::printf("error: the program has errors\n");
    return 1;
  }
  const auto prepared = model::prepare(*understood.program, sources, model::read_data(data), 1);
  model::Simulator simulator(prepared);
  Random random(1);
  std::vector<double> row(simulator.column_names().size());
  int without_quantities = 0;
  std::string problem;
  int problems = 0;
  for (int i = 0; i < draws; ++i) {
    if (!simulator.draw(random, row.data())) ++without_quantities;
    if (i >= 5) continue;
    const std::string found = problem_of_draw(*understood.program, sources, simulator);
    problems += found.empty() ? 0 : 1;
    if (problem.empty()) problem = found;
  }
  std::printf("ok: %zu simulated variables, %d of %d draws without quantities, %d of 5 without density: %s\n",
              simulator.simulated_data().size(), without_quantities, draws, problems, problem.c_str());
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) {
    std::fprintf(stderr, "usage: simulate_program MODEL.stan DATA.json [DRAWS]\n");
    return 64;
  }
  try {
    return run(words[1], words[2], count > 3 ? std::atoi(words[3]) : 100);
  } catch (const kullback::Error& error) {
    std::printf("refused: %s\n", error.message().c_str());
    return 0;
  }
}
