#include "capi/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/render.hpp"
#include "capi/guard.hpp"
#include "capi/options.hpp"
#include "capi/relay.hpp"
#include "model/coordinate_names.hpp"

namespace kullback::capi {

namespace {

void take_options(const char* text, kb_model& model, std::uint64_t& seed) {
  model.data.name = "data";
  const JsonValue options = read_options(text);
  for (const JsonValue::Member& member : *options.object()) {
    if (member.value.is_null()) continue;
    if (member.name == "include_paths")
      model.inputs.include_paths = texts_of(member);
    else if (member.name == "max_memory")
      model.inputs.max_memory = count_of(member);
    else if (member.name == "seed")
      seed = count_of(member);
    else if (member.name == "data_name")
      model.data.name = text_of(member);
    else
      throw Error(ErrorKind::usage, fmt::format("a model has no option '{}'.", member.name),
                  "There are include_paths, max_memory, seed and data_name.");
  }
  if (model.data.name.empty()) throw Error(ErrorKind::usage, "the option 'data_name' is empty.");
}

[[noreturn]] void refuse_program(const fit::LoadedProgram& program) {
  const Diagnostics& all = program.understood.diagnostics;
  const auto first =
      std::find_if(all.begin(), all.end(), [](const Diagnostic& d) { return d.severity == Severity::error; });
  kb_error told;
  told.text = render(all, program.sources);
  if (first != all.end()) told.message = first->message, told.hint = first->hint;
  throw Failure(KB_BAD_INPUT, std::move(told));
}

std::string joined(const std::vector<std::string>& names, std::size_t first, std::size_t end) {
  std::string text;
  for (std::size_t i = first; i < end; ++i) text += (text.empty() ? "" : ",") + names[i];
  return text;
}

void name_columns(kb_model& model) {
  auto outputs = std::make_unique<model::Outputs>(model.prepared);
  const std::vector<std::string>& names = outputs->column_names();
  model.column_ends = {0, outputs->parameter_columns(), outputs->generated_columns_begin(), names.size()};
  for (std::size_t parts = 0; parts < model.names.size(); ++parts) {
    for (std::size_t block = 0; block < 3; ++block) {
      if ((parts >> block & 1U) == 0) continue;
      const std::string more = joined(names, model.column_ends[block], model.column_ends[block + 1]);
      std::string& all = model.names[parts];
      all += (all.empty() || more.empty() ? "" : ",") + more;
    }
  }
  const std::vector<std::string> coordinates = model::coordinate_columns(*model.prepared);
  model.unconstrained_names = joined(coordinates, 0, coordinates.size());
  model.outputs.give_back(std::move(outputs));
}

std::unique_ptr<kb_model> make_model(const char* program, const char* name, const char* data,
                                     const char* options) {
  auto model = std::make_unique<kb_model>();
  std::uint64_t seed = 0;
  take_options(options, *model, seed);
  model->inputs.program = name != nullptr && *name != '\0' ? name : "model.stan";
  if (data == nullptr || *data == '\0')
    model->data.name.clear();
  else
    model->data.text = std::make_shared<const std::string>(data);
  model->program = fit::understand_program(model->inputs, program);
  if (!model->program->understood.program) refuse_program(*model->program);
  model->loaded = fit::load_model_with(*model->program, model->inputs, {.seed = seed}, model->data);
  model->prepared = model->loaded.prepared;
  model->loaded.density.reset();  // fits make their own
  model->loaded.stan = nullptr;
  model->loaded.outputs.reset();
  model->warnings = render(model->program->understood.diagnostics, model->program->sources) +
                    render(model->prepared->warnings, model->program->sources);
  for (std::size_t flags = 0; flags < model->densities.size(); ++flags) {
    const model::StanModelOptions chosen{.normalized = (flags & 2U) != 0,
                                         .jacobian = (flags & 1U) != 0,
                                         .seed = seed,
                                         .max_memory = model->inputs.max_memory};
    model->densities[flags] =
        std::make_unique<SharedDensity>(std::make_unique<model::StanModel>(model->prepared, chosen));
  }
  name_columns(*model);
  return model;
}

}  // namespace

}  // namespace kullback::capi

using namespace kullback;
using namespace kullback::capi;

kb_status kb_model_new(const char* program, const char* name, const char* data, const char* options,
                       kb_model** model, kb_error** error) {
  return kb_model_new_watched(program, name, data, options, nullptr, nullptr, model, error);
}

kb_status kb_model_new_watched(const char* program, const char* name, const char* data, const char* options,
                               kb_watch watch, void* user, kb_model** model, kb_error** error) {
  if (model != nullptr) *model = nullptr;
  return guarded(error, [&] {
    const char* const function = watch != nullptr ? "kb_model_new_watched" : "kb_model_new";
    require(program, function, "program");
    require(model, function, "model");
    std::unique_ptr<kb_model> made;
    Relay(watch, user).run([&](const fit::Watch&) { made = make_model(program, name, data, options); });
    *model = made.release();
    return KB_OK;
  });
}

void kb_model_free(kb_model* model) { delete model; }

const char* kb_model_warnings(const kb_model* model) {
  return model != nullptr ? model->warnings.c_str() : "";
}

size_t kb_model_dim(const kb_model* model) { return model != nullptr ? model->prepared->dim : 0; }

size_t kb_model_size(const kb_model* model, int parts) {
  std::size_t size = 0;
  for (std::size_t block = 0; block < 3 && model != nullptr; ++block) {
    if ((static_cast<unsigned>(parts) >> block & 1U) != 0)
      size += model->column_ends[block + 1] - model->column_ends[block];
  }
  return size;
}

const char* kb_model_names(const kb_model* model, int parts) {
  return model != nullptr ? model->names[static_cast<unsigned>(parts) & KB_ALL].c_str() : "";
}

const char* kb_model_unconstrained_names(const kb_model* model) {
  return model != nullptr ? model->unconstrained_names.c_str() : "";
}
