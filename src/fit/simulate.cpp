#include "fit/simulate.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "base/random.hpp"
#include "fit/finish.hpp"
#include "fit/options.hpp"
#include "fit/record.hpp"
#include "model/simulate.hpp"
#include "run/folder.hpp"

namespace kullback::fit {

namespace {

// Calls fn(name, number) for each number of a simulated variable: CmdStan's names, the first index fastest.
template <class Fn>
void for_each_number(const model::Data::Item& item, Fn&& fn) {
  const model::DataValue& value = item.value;
  std::vector<std::size_t> index(value.dims.size(), 0);
  for (std::size_t n = 0; n < value.numbers.size(); ++n) {
    std::size_t row_major = 0;
    std::string name = item.name;
    for (std::size_t d = 0; d < index.size(); ++d) {
      row_major = row_major * value.dims[d] + index[d];
      name += "." + std::to_string(index[d] + 1);
    }
    fn(std::move(name), value.numbers[row_major]);
    for (std::size_t d = 0; d < index.size() && ++index[d] == value.dims[d]; ++d) index[d] = 0;
  }
}

template <class Fn>
void for_each_simulated(const model::Simulator& simulator, Fn&& fn) {
  const model::Data data = simulator.data();
  for (const std::string& name : simulator.simulated_data()) {
    for (const model::Data::Item& item : data.items()) {
      if (item.name == name && item.value.slots.empty()) for_each_number(item, fn);
    }
  }
}

void write_data_set(run::RunFolder& folder, const model::Simulator& simulator, std::size_t number) {
  replace_file(folder.file(fmt::format("data-{}.json", number)), model::to_json(simulator.data()));
  replace_file(folder.file(fmt::format("params-{}.json", number)), model::to_json(simulator.params()));
}

// Draw after draw, then turned into columns; the first draw names the simulated data.
FinishedChain draw_all(const SimulateRequest& request, model::Simulator& simulator, run::RunFolder& folder,
                       std::vector<std::string>& names) {
  FinishedChain made;
  made.result.is_finished = true;
  made.chain.draws = request.draws;
  made.chain.log_density.assign(request.draws, 0.0);
  names = simulator.column_names();
  std::vector<double> row(names.size());
  std::vector<std::vector<double>> rows;
  for (std::size_t i = 0; i < request.draws; ++i) {
    Random random(request.seed, 0, static_cast<std::uint32_t>(infer::Purpose::generated_quantities),
                  static_cast<std::uint32_t>(i));
    row.resize(simulator.column_names().size());
    if (!simulator.draw(random, row.data()) && made.problem.empty()) made.problem = simulator.message();
    for_each_simulated(simulator, [&](std::string name, double number) {
      if (i == 0) names.push_back(std::move(name));
      row.push_back(number);
    });
    rows.push_back(row);
    if (i < request.data_sets) write_data_set(folder, simulator, i + 1);
  }
  made.chain.columns.resize(names.size() * request.draws);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < names.size(); ++j) made.chain.columns[j * request.draws + i] = rows[i][j];
  }
  return made;
}

}  // namespace

Outcome simulate(const SimulateRequest& request, const LoadedProgram& program) {
  const auto began = std::chrono::steady_clock::now();
  const LoadedModel model = load_model(program, request.inputs, {.seed = request.seed});
  model::Simulator simulator(model.stan->prepared());
  Outcome outcome;
  outcome.record = begin_record(request.inputs, model, request.seed);
  outcome.record.kind = run::Kind::simulation;
  outcome.record.method = "simulate";
  outcome.record.options.set(option::kPriorDraws, request.draws);
  outcome.record.options.set(option::kDataSets, request.data_sets);
  note_include_paths(request.inputs, outcome.record);
  const auto folder = run::RunFolder::begin(request.out, outcome.record, program.text, request.force);
  try {
    std::vector<FinishedChain> chains;
    chains.push_back(draw_all(request, simulator, *folder, outcome.posterior.names));
    outcome.record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    finish_predictions(*folder, model, std::move(chains), outcome);
  } catch (const Error&) {
    folder->abandon();
    throw;
  }
  return outcome;
}

}  // namespace kullback::fit
