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

// Options of a fit that cannot be used where the model is in memory, and what to do instead.
constexpr std::pair<const OptionRecord*, std::string_view> kElsewhere[] = {
    {&fit::option::kResume,
     "On the command line `kullback fit --resume DIR` goes on with an unfinished fit."},
    {&fit::option::kIncludePath, "It is an option of the model: \"include_paths\"."},
    {&fit::option::kMaxMemory, "It is an option of the model."},
};
// Those about a folder.
constexpr const OptionRecord* kOfFolder[] = {&fit::option::kForce, &fit::option::kCheckpoint,
                                             &fit::option::kStream};

const OptionRecord* option_named(const std::string& name) {
  const OptionRecord* option = find_option(fit::fit_options(), name);
  return option != nullptr ? option : find_option(infer::all_options(), name);
}

GivenTexts given_options(const char* text) {
  GivenTexts given;
  const JsonValue options = read_options(text);
  for (const JsonValue::Member& member : *options.object()) {
    std::string name = member.name;
    std::replace(name.begin(), name.end(), '-', '_');
    if (!member.value.is_null()) given[name] = option_text(option_named(name), member);
  }
  fit::check_names(given);
  // A flag that is off is one that was not given.
  std::erase_if(given, [](const auto& one) {
    const OptionRecord* option = find_option(fit::fit_options(), one.first);
    return option != nullptr && option->type == OptionType::flag &&
           (one.second == "false" || one.second == "0");
  });
  for (const auto& [option, instead] : kElsewhere) {
    if (given.contains(std::string(option->name)))
      throw Error(ErrorKind::usage,
                  fmt::format("{} cannot be used with a model in memory.", flag_of(option->name)),
                  std::string(instead));
  }
  for (const OptionRecord* option : kOfFolder) {
    if (given.contains(std::string(option->name)) && !given.contains("out"))
      throw Error(ErrorKind::usage,
                  fmt::format("{} needs a folder, and none was given.", flag_of(option->name)),
                  "Name one as \"out\".");
  }
  return given;
}

std::unique_ptr<kb_fit> run_fit(const kb_model& model, const char* options, const fit::Watch& watch) {
  const GivenTexts given = given_options(options);
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
