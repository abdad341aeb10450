#include "fit/loaded_model.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "base/content_hash.hpp"
#include "base/file.hpp"
#include "base/text_source.hpp"
#include "lang/observed.hpp"
#include "lang/visit.hpp"
#include "model/bridgestan_model.hpp"
#include "model/data.hpp"
#include "model/outputs.hpp"
#include "model/prepared.hpp"
#include "model/streamed_model.hpp"
#include "model/streamed_rows.hpp"
#include "model/values.hpp"

namespace kullback::fit {

namespace {

const lang::Variable* declared_data(const lang::Program* program, std::string_view name) {
  if (program == nullptr) return nullptr;
  for (const lang::Stmt* stmt : program->block(lang::BlockKind::data)) {
    const lang::Variable* variable = stmt->as<lang::Declare>()->variable;
    if (variable->name == name) return variable;
  }
  return nullptr;
}

// Data for posterior.nc. Tuples and ragged arrays have no place in a netCDF file of numbers. Of what the
// program declares, the numbers are those of the model, once there is one.
class PlainVariables final {
 public:
  PlainVariables(const lang::Program* program, model::Data& data) {
    std::set<std::string_view> observed;
    if (program != nullptr) observed = lang::observed_data(*program);
    for (model::Data::Item& item : data.items()) {
      model::DataValue& value = item.value;
      if (value.kind == model::DataKind::tuple || !value.problem.empty()) continue;
      if (!model::is_variable_name(item.name)) continue;
      variables_.push_back(
          {item.name, value.dims, value.kind == model::DataKind::int_, observed.contains(item.name), {}});
      declared_.push_back(declared_data(program, item.name));
      if (declared_.back() == nullptr) variables_.back().read = numbers_in(value.numbers);
    }
  }

  std::vector<posterior::DataVariable> of(std::shared_ptr<const model::Prepared> prepared) && {
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      if (declared_[i] == nullptr) continue;
      variables_[i].read = [prepared, id = declared_[i]->id](std::size_t first, std::span<double> to) {
        model::copy_file_numbers(prepared->values[id], prepared->builder, first, to);
      };
    }
    return std::move(variables_);
  }

 private:
  static std::function<void(std::size_t, std::span<double>)> numbers_in(const std::vector<double>& numbers) {
    const auto kept = std::make_shared<const std::vector<double>>(numbers);
    return [kept](std::size_t first, std::span<double> to) {
      std::copy_n(kept->begin() + static_cast<std::ptrdiff_t>(first), to.size(), to.begin());
    };
  }

  std::vector<posterior::DataVariable> variables_;
  std::vector<const lang::Variable*> declared_;  // null: the numbers are here
};

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

namespace {

// Only what is named so draws random numbers, functions of the program among it.
bool draws_random_data(const lang::Program& program) {
  bool found = false;
  for (const lang::Stmt* stmt : program.block(lang::BlockKind::transformed_data)) {
    lang::for_each_expr(*stmt, [&found](const lang::Expr& expr) {
      const auto* call = expr.as<lang::Call>();
      found = found || (call != nullptr && call->name.ends_with("_rng"));
    });
  }
  return found;
}

void take_options(const Inputs& inputs, model::StanModelOptions& options) {
  options.max_memory = inputs.max_memory;
  options.row_size = inputs.row_size;
  options.strata = inputs.strata;
}

void take_model(const Inputs& inputs, std::unique_ptr<model::StanModel> stan, LoadedModel& loaded) {
  loaded.prepared = stan->prepared();
  loaded.outputs = std::make_unique<model::Outputs>(loaded.prepared);
  if (!inputs.row_size.empty()) stan->rows();  // once, for all clones
  loaded.stan = stan.get();
  loaded.density = std::move(stan);
}

LoadedModel load_with(const LoadedProgram& program, const Inputs& inputs, model::StanModelOptions options,
                      model::Data data, const std::string& data_text) {
  LoadedModel loaded;
  loaded.program = &program;
  loaded.seed = options.seed;
  const bool keeps_data = !program.is_library && inputs.streams.empty();
  PlainVariables variables(keeps_data ? &*program.understood.program : nullptr, data);
  if (program.is_library) {
    if (!inputs.row_size.empty() || !inputs.strata.empty())
      throw Error(ErrorKind::usage, "--minibatch is for Stan programs, not for a shared library.",
                  "Name the .stan file the library was made from.");
    auto library = std::make_unique<model::BridgeStanModel>(
        inputs.program, data_text,
        model::BridgeStanOptions{.normalized = options.normalized,
                                 .jacobian = options.jacobian,
                                 .seed = static_cast<unsigned>(options.seed)});
    loaded.data = std::move(variables).of(nullptr);
    loaded.outputs = library->outputs();
    loaded.density = std::move(library);
    return loaded;
  }
  take_options(inputs, options);
  if (!inputs.streams.empty()) {
    const auto source = model::open_streamed_rows(*program.understood.program, std::move(data),
                                                  inputs.row_size, inputs.streams);
    auto streamed = std::make_unique<model::StreamedModel>(*program.understood.program, program.sources,
                                                           *source, options);
    loaded.data = std::move(variables).of(nullptr);
    loaded.outputs = std::make_unique<model::Outputs>(streamed->prepared());
    loaded.density = std::move(streamed);
    return loaded;
  }
  auto stan = std::make_unique<model::StanModel>(*program.understood.program, program.sources,
                                                 std::move(data), options);
  loaded.data = std::move(variables).of(stan->prepared());
  take_model(inputs, std::move(stan), loaded);
  return loaded;
}

}  // namespace

// A library wants the text itself; a program the numbers alone, which are read as the text passes by.
LoadedModel load_model(const LoadedProgram& program, const Inputs& inputs, model::StanModelOptions options) {
  if (inputs.data.empty() || program.is_library) {
    std::string text = inputs.data.empty() ? std::string() : read_file(inputs.data);
    LoadedModel loaded = load_model_with(program, inputs, std::move(options),
                                         {std::make_shared<const std::string>(std::move(text)), inputs.data});
    loaded.data_text.reset();
    return loaded;
  }
  ContentHash hash;
  model::Data data;
  {
    FileSource file(inputs.data);
    WatchedSource watched(file, [&hash](std::string_view piece) { hash.add(piece); });
    data = model::read_data(watched, inputs.data);
  }
  LoadedModel loaded = load_with(program, inputs, std::move(options), std::move(data), {});
  loaded.data_hash = hash.text();
  return loaded;
}

LoadedModel load_model_with(const LoadedProgram& program, const Inputs& inputs,
                            model::StanModelOptions options, const GivenData& data) {
  const std::string& text = *data.text;
  model::Data values = data.name.empty() ? model::Data() : model::parse_data(text, data.name);
  LoadedModel loaded = load_with(program, inputs, std::move(options), std::move(values), text);
  loaded.data_hash = content_hash(text);
  if (!text.empty()) loaded.data_text = data.text;
  return loaded;
}

LoadedModel load_again(const LoadedModel& model, const Inputs& inputs, model::StanModelOptions options,
                       const GivenData& data) {
  const bool draws_others = options.seed != model.seed && draws_random_data(model.prepared->program);
  if (draws_others || !inputs.streams.empty())
    return load_model_with(*model.program, inputs, std::move(options), data);
  LoadedModel again;
  again.program = model.program;
  again.seed = options.seed;
  again.data_text = model.data_text;
  again.data_hash = model.data_hash;
  again.data = model.data;
  take_options(inputs, options);
  take_model(inputs, std::make_unique<model::StanModel>(model.prepared, std::move(options)), again);
  return again;
}

}  // namespace kullback::fit
