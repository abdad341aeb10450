// A fit of a kb_model: options as JSON to fit::Request, fit::run, and the outcome kept in memory.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/error.hpp"
#include "base/fresh_seed.hpp"
#include "capi/fit.hpp"
#include "capi/guard.hpp"
#include "capi/model.hpp"
#include "capi/options.hpp"
#include "capi/relay.hpp"
#include "fit/outcome_text.hpp"
#include "fit/request_options.hpp"

namespace kullback::capi {

namespace {

// Options of a fit that mean nothing where the model is in memory, and what to do instead.
constexpr std::pair<std::string_view, std::string_view> kElsewhere[] = {
    {"resume", "On the command line `kullback fit --resume DIR` goes on with an unfinished fit."},
    {"include_path", "It is an option of the model: \"include_paths\"."},
    {"max_memory", "It is an option of the model."},
};
// Those about a folder.
constexpr std::string_view kOfFolder[] = {"force", "checkpoint", "stream"};

const fit::FitOption* find_fit_option(const std::string& name) {
  const auto options = fit::fit_options();
  const auto found =
      std::find_if(options.begin(), options.end(), [&](const fit::FitOption& o) { return o.name == name; });
  return found == options.end() ? nullptr : &*found;
}

bool is_switch(const std::string& name) {
  const OptionRecord* option = find_option(infer::all_options(), name);
  return option != nullptr && option->type == OptionType::flag;
}

void add_flag(const JsonValue::Member& member, const std::string& name, fit::GivenOptions& given) {
  const bool* is_set = member.value.boolean();
  if (is_set == nullptr)
    throw Error(ErrorKind::usage, fmt::format("the option '{}': found {}, but true or false is needed.",
                                              member.name, word_of(member.value)));
  if (*is_set) given[name] = "1";
}

void add_option(const JsonValue::Member& member, fit::GivenOptions& given) {
  std::string name = member.name;
  std::replace(name.begin(), name.end(), '-', '_');
  const fit::FitOption* option = find_fit_option(name);
  if (option != nullptr && option->kind == fit::OptionKind::flag) return add_flag(member, name, given);
  if (option != nullptr && option->kind == fit::OptionKind::list) {
    given[name] = fmt::format("{}\n", fmt::join(texts_of(member), "\n"));
    return;
  }
  given[name] = word_of(member.value);
  const bool* truth = member.value.boolean();
  if (truth != nullptr && is_switch(name)) given[name] = *truth ? "1" : "0";
}

fit::GivenOptions given_options(const char* text) {
  fit::GivenOptions given;
  const JsonValue options = read_options(text);
  for (const JsonValue::Member& member : *options.object()) {
    if (!member.value.is_null()) add_option(member, given);
  }
  fit::check_names(given);
  for (const auto& [name, instead] : kElsewhere) {
    if (given.contains(std::string(name)))
      throw Error(ErrorKind::usage, fmt::format("{} cannot be used with a model in memory.", flag_of(name)),
                  std::string(instead));
  }
  for (const std::string_view name : kOfFolder) {
    if (given.contains(std::string(name)) && !given.contains("out"))
      throw Error(ErrorKind::usage, fmt::format("{} needs a folder, and none was given.", flag_of(name)),
                  "Name one as \"out\".");
  }
  return given;
}

std::unique_ptr<kb_fit> run_fit(const kb_model& model, const char* options, const fit::Watch& watch) {
  const fit::GivenOptions given = given_options(options);
  fit::Request request = fit::make_request(given, model.inputs);
  if (!given.contains("seed")) request.seed = fresh_seed();
  const fit::LoadedModel loaded = fit::load_again(
      model.loaded, request.inputs, {.jacobian = request.jacobian, .seed = request.seed}, model.data);
  auto made = std::make_unique<kb_fit>();
  made->outcome = fit::run(request, loaded, Ranks(Ranks::Alone()), watch);
  made->origin = fit::Origin{model.program->text, loaded.data_text, loaded.data};
  made->record = run::to_json(made->outcome.record);
  made->summary = posterior::to_json(made->outcome.summary);
  if (made->outcome.certificate) made->certificate = certify::to_json(*made->outcome.certificate);
  made->text = fit::outcome_text(made->outcome, made->outcome.folder);
  name_columns(*made);
  // As on the command line: a certificate that was asked for and was cut off.
  if (request.tolerance && !made->outcome.certificate) made->outcome.is_interrupted = true;
  return made;
}

}  // namespace

}  // namespace kullback::capi

using namespace kullback;
using namespace kullback::capi;

kb_status kb_fit_run(kb_model* model, const char* options, kb_watch watch, void* user, kb_fit** fit,
                     kb_error** error) {
  if (fit != nullptr) *fit = nullptr;
  return guarded(error, [&] {
    require(model, "kb_fit_run", "model");
    require(fit, "kb_fit_run", "fit");
    std::unique_ptr<kb_fit> made;
    Relay(watch, user).run([&](const fit::Watch& relayed) { made = run_fit(*model, options, relayed); });
    const bool is_interrupted = made->outcome.is_interrupted;
    if (!is_interrupted || made->outcome.posterior.draws() > 0) *fit = made.release();
    if (!is_interrupted) return KB_OK;
    throw Failure(KB_CANCELLED, {"the run was stopped.", "the run was stopped.", ""});
  });
}
