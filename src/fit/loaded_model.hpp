// A program (or a library with BridgeStan's interface) and its data, read and ready to evaluate.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/source.hpp"
#include "fit/request.hpp"
#include "lang/front_end.hpp"
#include "model/output_writer.hpp"
#include "model/stan_model.hpp"
#include "posterior/files.hpp"

namespace kullback::fit {

// A program that was read; `understood.program` is null where it has errors, which the diagnostics tell.
struct LoadedProgram {
  bool is_library = false;  // *.so: there is nothing to understand
  SourceMap sources;
  std::string text;  // of the file itself, without what it includes
  lang::Understood understood;
};

std::unique_ptr<LoadedProgram> load_program(const Inputs& inputs);
// The same of a program in memory; inputs.program is what messages call it.
std::unique_ptr<LoadedProgram> understand_program(const Inputs& inputs, std::string text);

struct LoadedModel {
  const LoadedProgram* program = nullptr;
  std::shared_ptr<const std::string> data_text;  // of the caller; null where there is none
  std::string data_hash;
  std::vector<posterior::DataVariable> data;  // for posterior.nc
  std::unique_ptr<density::LogDensity> density;
  model::StanModel* stan = nullptr;                 // the density; null for a library
  std::shared_ptr<const model::Prepared> prepared;  // program and data; null for a library
  std::unique_ptr<model::OutputWriter> outputs;     // threads use clones
  std::uint64_t seed = 0;                           // of random numbers in transformed data
};

// Throws Error where the program has errors or the data do not fit. The program must outlive the model.
LoadedModel load_model(const LoadedProgram& program, const Inputs& inputs, model::StanModelOptions options);
// Data in memory: JSON, which messages call `name`; both are empty where there are none.
struct GivenData {
  std::shared_ptr<const std::string> text = std::make_shared<const std::string>();
  std::string name = {};
};
// The same with data in memory; inputs.data is empty.
LoadedModel load_model_with(const LoadedProgram& program, const Inputs& inputs,
                            model::StanModelOptions options, const GivenData& data);
// A model made by load_model_with, with other options. Shares its data; they are read again only where
// transformed data draw random numbers and the seed is another, or where rows are streamed.
LoadedModel load_again(const LoadedModel& model, const Inputs& inputs, model::StanModelOptions options,
                       const GivenData& data);

}  // namespace kullback::fit
