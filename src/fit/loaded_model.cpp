#include "fit/loaded_model.hpp"

#include <set>
#include <string_view>
#include <utility>

#include "base/file.hpp"
#include "lang/observed.hpp"
#include "model/bridgestan_model.hpp"
#include "model/data.hpp"
#include "model/outputs.hpp"
#include "model/streamed_model.hpp"
#include "model/streamed_rows.hpp"

namespace kullback::fit {

namespace {

// Tuples and ragged arrays have no place in a netCDF file of numbers.
std::vector<posterior::DataVariable> plain_variables(const model::Data& data, const LoadedProgram& program) {
  std::set<std::string_view> observed;
  if (program.understood.program) observed = lang::observed_data(*program.understood.program);
  std::vector<posterior::DataVariable> variables;
  for (const model::Data::Item& item : data.items()) {
    const model::DataValue& value = item.value;
    if (value.kind == model::DataKind::tuple || !value.problem.empty()) continue;
    if (!model::is_variable_name(item.name)) continue;
    variables.push_back({item.name, value.dims, value.numbers, value.kind == model::DataKind::int_,
                         observed.contains(item.name)});
  }
  return variables;
}

}  // namespace

std::unique_ptr<LoadedProgram> load_program(const Inputs& inputs) {
  if (inputs.program.ends_with(".so")) {
    auto library = std::make_unique<LoadedProgram>();
    library->is_library = true;
    return library;
  }
  return understand_program(inputs, read_file(inputs.program));
}

std::unique_ptr<LoadedProgram> understand_program(const Inputs& inputs, std::string text) {
  auto loaded = std::make_unique<LoadedProgram>();
  loaded->text = std::move(text);
  const FileId file = loaded->sources.add(inputs.program, loaded->text);
  lang::FrontEndOptions options;
  options.include_paths.assign(inputs.include_paths.begin(), inputs.include_paths.end());
  options.lint = false;
  loaded->understood = lang::understand(loaded->sources, file, options);
  return loaded;
}

LoadedModel load_model(const LoadedProgram& program, const Inputs& inputs, model::StanModelOptions options) {
  return load_model_with(program, inputs, std::move(options),
                         inputs.data.empty() ? std::string() : read_file(inputs.data), inputs.data);
}

LoadedModel load_model_with(const LoadedProgram& program, const Inputs& inputs,
                            model::StanModelOptions options, std::string data_text, const std::string& name) {
  LoadedModel loaded;
  loaded.program = &program;
  loaded.data_text = std::move(data_text);
  model::Data data;
  if (!name.empty()) {
    data = model::parse_data(loaded.data_text, name);
    loaded.data = plain_variables(data, program);
  }
  if (program.is_library) {
    if (!inputs.row_size.empty() || !inputs.strata.empty())
      throw Error(ErrorKind::usage, "--minibatch is for Stan programs, not for a shared library.",
                  "Name the .stan file the library was made from.");
    auto library = std::make_unique<model::BridgeStanModel>(
        inputs.program, loaded.data_text,
        model::BridgeStanOptions{.normalized = options.normalized,
                                 .jacobian = options.jacobian,
                                 .seed = static_cast<unsigned>(options.seed)});
    loaded.outputs = library->outputs();
    loaded.density = std::move(library);
    return loaded;
  }
  options.max_memory = inputs.max_memory;
  options.row_size = inputs.row_size;
  options.strata = inputs.strata;
  if (!inputs.streams.empty()) {
    const auto source = model::open_streamed_rows(*program.understood.program, std::move(data),
                                                  inputs.row_size, inputs.streams);
    auto streamed = std::make_unique<model::StreamedModel>(*program.understood.program, program.sources,
                                                           *source, options);
    loaded.outputs = std::make_unique<model::Outputs>(streamed->prepared());
    loaded.density = std::move(streamed);
    return loaded;
  }
  auto stan = std::make_unique<model::StanModel>(*program.understood.program, program.sources,
                                                 std::move(data), options);
  loaded.outputs = std::make_unique<model::Outputs>(stan->prepared());
  if (!inputs.row_size.empty()) stan->rows();  // once, for all clones
  loaded.stan = stan.get();
  loaded.density = std::move(stan);
  return loaded;
}

}  // namespace kullback::fit
