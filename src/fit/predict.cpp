#include "fit/predict.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "base/random.hpp"
#include "fit/finish.hpp"
#include "model/outputs.hpp"
#include "posterior/files.hpp"
#include "run/folder.hpp"

namespace kullback::fit {

namespace {

void check_program(const model::Outputs& outputs, const posterior::Folder& fit) {
  const std::size_t count = outputs.parameter_columns();
  if (outputs.column_names().size() == outputs.generated_columns_begin()) {
    throw Error(ErrorKind::bad_input,
                fit.record.program + ": the program has no generated quantities to predict.",
                "Add a block 'generated quantities' that draws them with _rng functions, and fit again.");
  }
  for (std::size_t j = 0; j < count; ++j) {
    const bool is_there = j < fit.posterior.names.size() && j < fit.posterior.parameters;
    if (is_there && fit.posterior.names[j] == outputs.column_names()[j]) continue;
    throw Error(
        ErrorKind::bad_input,
        fmt::format("with these data parameter column {} is {}, but the fit has {}.", j + 1,
                    posterior::display_name(outputs.column_names()[j]),
                    is_there ? posterior::display_name(fit.posterior.names[j]) : "none"),
        "New data must leave the sizes of the parameters as they are; sizes of predictions may change.");
  }
  if (count != fit.posterior.parameters) {
    throw Error(ErrorKind::bad_input,
                fmt::format("with these data the program has {} parameter columns, but the fit has {}.",
                            count, fit.posterior.parameters),
                "New data must leave the sizes of the parameters as they are.");
  }
}

posterior::Chain predict_chain(const PredictRequest& request, model::Outputs& outputs, std::uint32_t number,
                               const posterior::Chain& fitted, std::string& problem) {
  const std::size_t first = outputs.generated_columns_begin();
  const std::size_t width = outputs.column_names().size();
  posterior::Chain chain;
  chain.draws = fitted.draws;
  chain.log_density = fitted.log_density;
  chain.log_q = fitted.log_q;
  chain.log_weight = fitted.log_weight;
  chain.columns.resize((width - first) * chain.draws);
  std::vector<double> params(outputs.parameter_columns());
  std::vector<double> row(width);
  for (std::size_t i = 0; i < chain.draws; ++i) {
    for (std::size_t j = 0; j < params.size(); ++j) params[j] = fitted.columns[j * fitted.draws + i];
    Random random(request.seed, number, static_cast<std::uint32_t>(infer::Purpose::generated_quantities),
                  static_cast<std::uint32_t>(i));
    if (!outputs.write_from_params(params.data(), random, row.data()) && problem.empty())
      problem = outputs.message();
    for (std::size_t j = first; j < width; ++j) chain.columns[(j - first) * chain.draws + i] = row[j];
  }
  return chain;
}

std::vector<FinishedChain> predict_chains(const PredictRequest& request, model::Outputs& outputs,
                                          const posterior::Posterior& fitted) {
  std::vector<FinishedChain> chains(fitted.chains.size());
  for (std::size_t c = 0; c < chains.size(); ++c) {
    chains[c].number = static_cast<std::uint32_t>(c);
    chains[c].result.is_finished = true;
    chains[c].chain = predict_chain(request, outputs, chains[c].number, fitted.chains[c], chains[c].problem);
  }
  return chains;
}

}  // namespace

Inputs inputs_of(const std::filesystem::path& folder) { return request_of(folder).inputs; }

Outcome predict(const PredictRequest& request, const LoadedProgram& program) {
  const auto began = std::chrono::steady_clock::now();
  const posterior::Folder fit = posterior::read_folder(request.folder);
  Inputs inputs = inputs_of(request.folder);
  if (!inputs.streams.empty())
    throw Error(ErrorKind::bad_input, "predictions need all data in memory; those of the fit were streamed.");
  inputs.row_size.clear();  // predictions have no minibatches
  if (!request.data.empty()) inputs.data = request.data;
  if (program.is_library)
    throw Error(ErrorKind::bad_input, "predictions need a Stan program; the fit is of a shared library.");
  const LoadedModel model = load_model(program, inputs, {.seed = fit.record.seed});
  model::Outputs outputs(model.stan->prepared());
  check_program(outputs, fit);
  Outcome outcome;
  outcome.record = fit.record;
  outcome.record.kind = run::Kind::predictions;
  outcome.record.seed = request.seed;
  outcome.record.data = std::filesystem::absolute(inputs.data).string();
  outcome.record.data_hash = model.data_hash;
  outcome.record.findings.clear();
  const auto folder = run::RunFolder::begin(request.out, outcome.record, program.text, request.force);
  try {
    std::vector<FinishedChain> chains = predict_chains(request, outputs, fit.posterior);
    const auto& names = outputs.column_names();
    outcome.posterior.names.assign(
        names.begin() + static_cast<std::ptrdiff_t>(outputs.generated_columns_begin()), names.end());
    outcome.record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    finish_predictions(*folder, model, std::move(chains), outcome);
  } catch (const Error&) {
    folder->abandon();
    throw;
  }
  return outcome;
}

}  // namespace kullback::fit
