// The verbs of conjugate models: mixture, topics, hmm, factors, regress. Their options come from the models'
// records.
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/advice.hpp"
#include "base/error.hpp"
#include "base/fresh_seed.hpp"
#include "base/interrupt.hpp"
#include "base/ranks.hpp"
#include "base/stop.hpp"
#include "cli/fit_run.hpp"
#include "cli/verb.hpp"
#include "conjugate/fit.hpp"
#include "conjugate/outcome_text.hpp"
#include "run/progress_line.hpp"

namespace kullback::cli {

namespace {

using conjugate::Method;
using conjugate::ModelRecord;
using conjugate::StepRule;
using conjugate::UnitSampling;

struct Arguments {
  std::string verb;
  std::string kind;
  std::map<std::string, std::string> values;  // of all models' options; empty: not given
  std::vector<std::string> data;
  conjugate::Request request;
  std::optional<std::uint64_t> seed;
  std::optional<std::size_t> passes, threads;
  std::string method = "cavi", step = "robbins-monro", sampling = "uniform";
  std::string vocabulary, prior, out;
  bool has_no_units = false;
  bool quiet = false;
};

constexpr std::size_t kSviPasses = 20;

conjugate::Request request_of(const Arguments& arguments, const Ranks& ranks) {
  conjugate::Request request = arguments.request;
  request.model = conjugate::find_model(arguments.verb, arguments.kind);
  for (const auto& [name, value] : arguments.values) {
    if (value.empty()) continue;
    const auto& options = request.model->options;
    if (std::none_of(options.begin(), options.end(),
                     [&](const auto& option) { return option.name == name; })) {
      throw Error(ErrorKind::usage, "--" + name + " is not an option of --kind " + request.model->kind + ".",
                  "Leave it out, or choose another kind.");
    }
    request.values[name] = value;
  }
  request.data.paths.assign(arguments.data.begin(), arguments.data.end());
  request.data.vocabulary = arguments.vocabulary;
  if (request.model->has_target && request.data.target.empty()) {
    throw Error(ErrorKind::usage, "kullback " + arguments.verb + " must know which column to explain.",
                "Name it with --target.");
  }
  request.train.method = arguments.method == "svi"         ? Method::svi
                         : arguments.method == "streaming" ? Method::streaming
                                                           : Method::cavi;
  request.train.step_rule = arguments.step == "adam" ? StepRule::adam : StepRule::robbins_monro;
  request.train.sampling =
      arguments.sampling == "importance" ? UnitSampling::importance : UnitSampling::uniform;
  request.prior = arguments.prior;
  request.out =
      arguments.out.empty() ? default_folder(arguments.data.front(), "-" + arguments.verb) : arguments.out;
  request.train.passes =
      arguments.passes.value_or(request.train.method == Method::cavi ? request.train.passes : kSviPasses);
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  request.train.threads =
      arguments.threads.value_or(std::max<std::size_t>(1, cores / static_cast<std::size_t>(ranks.size())));
  request.writes_units = !arguments.has_no_units;
  if (arguments.seed) {
    request.train.seed = *arguments.seed;
  } else {
    request.train.seed = std::stoull(ranks.broadcast(std::to_string(fresh_seed())));
  }
  return request;
}

int run_on(const Ranks& ranks, const Arguments& arguments) {
  const conjugate::Request request = request_of(arguments, ranks);
  const bool prints = ranks.is_first() && !arguments.quiet;
  run::ProgressLine display(!prints);
  const InterruptGuard guard({.is_announced = ranks.is_first(), .is_bounded = true});
  const conjugate::Outcome outcome = conjugate::fit(
      request, ranks,
      {.on_progress = [&](const auto& progress) { display.show(progress); }, .should_stop = is_interrupted});
  display.clear();
  if (prints) std::fputs(for_terminal(outcome_text(outcome, outcome.folder)).c_str(), stdout);
  return outcome.trained.is_interrupted ? kInterruptedCode : 0;
}

int run_verb(const Arguments& arguments) {
  const Ranks ranks;
  try {
    return run_on(ranks, arguments);
  } catch (const Error& error) {
    if (ranks.size() == 1) throw;
    print_error(error.message(), error.hint());
    ranks.abort(static_cast<int>(error.kind()));  // the others would wait for this one
    throw;
  } catch (const Interrupted&) {
    ranks.abort(kInterruptedCode);
    throw;
  }
}

// The options of the verb's models, each once, with the kinds that have it.
void add_model_options(const Command& app, Arguments& arguments) {
  struct Known {
    const Option* option;
    std::string kinds;
    std::string fallback;
  };
  std::vector<Known> known;
  std::size_t models = 0;
  for (const ModelRecord* record : conjugate::model_records()) {
    if (record->verb != arguments.verb) continue;
    ++models;
    for (const Option& option : record->options) {
      const auto at = std::find_if(known.begin(), known.end(),
                                   [&](const Known& k) { return k.option->name == option.name; });
      if (at == known.end()) {
        known.push_back({&option, record->kind, option.fallback});
      } else {
        at->kinds += ", " + record->kind;
      }
    }
  }
  for (const Known& item : known) {
    std::string help = item.option->help;
    const auto kinds = static_cast<std::size_t>(std::count(item.kinds.begin(), item.kinds.end(), ',')) + 1;
    if (kinds < models) help += " (" + item.kinds + ")";
    if (!item.fallback.empty()) help += " [" + item.fallback + "]";
    app.add_option("--" + item.option->name, arguments.values[item.option->name], help).group("Model");
  }
}

void add_kind(const Command& app, Arguments& arguments) {
  std::vector<std::string> kinds;
  std::string help;
  for (const ModelRecord* record : conjugate::model_records()) {
    if (record->verb != arguments.verb) continue;
    kinds.push_back(record->kind);
    help += (help.empty() ? "" : "; ") + record->kind + ": " + record->summary;
  }
  arguments.kind = kinds.empty() ? "" : kinds.front();
  app.add_option("--kind", arguments.kind, help).one_of(kinds).group("Model").default_of_target();
}

void add_training_options(const Command& app, Arguments& arguments) {
  conjugate::TrainOptions& train = arguments.request.train;
  const char* group = "Training";
  app.add_option(
         "--method", arguments.method,
         "cavi: coordinate ascent on all data; svi: minibatches and natural gradients; streaming: piece "
         "after piece, once")
      .one_of({"cavi", "svi", "streaming"})
      .group(group)
      .default_of_target();
  app.add_option("--passes", arguments.passes, "Passes over the data, at most [500; svi: 20]")
      .whole_number(1, 1'000'000'000)
      .group(group);
  app.add_option("--tolerance", train.tolerance,
                 "cavi ends when a pass raises the bound by less than this part of its size")
      .not_negative()
      .group(group)
      .default_of_target();
  app.add_option("--starts", train.starts, "Starts from different random points; the best bound wins")
      .range(1, 10'000)
      .group(group)
      .default_of_target();
  app.add_option("--first-steps", train.first_steps,
                 "cavi: steps of the first pass, each on a part of the units (not of streamed data)")
      .range(1, 1'000)
      .group(group)
      .default_of_target();
  app.add_option("--batch", train.batch, "Units of a minibatch (svi) or of a piece (streaming)")
      .whole_number(1, 1'000'000'000)
      .group(group)
      .default_of_target();
  app.add_option("--step", arguments.step, "svi: how far a minibatch moves the posterior")
      .one_of({"robbins-monro", "adam"})
      .group(group)
      .default_of_target();
  app.add_option("--delay", train.delay, "svi: step t has length (delay + t)^-forgetting")
      .range(1.0, 1e9)
      .group(group)
      .default_of_target();
  app.add_option("--forgetting", train.forgetting, "svi: above 0.5 and up to 1 converges")
      .range(0.0, 1.0)
      .group(group)
      .default_of_target();
  app.add_option("--adam-rate", train.rate, "svi: Adam's rate").positive().group(group).default_of_target();
  app.add_option("--row-sampling", arguments.sampling, "svi: which rows or documents make a minibatch")
      .one_of({"uniform", "importance"})
      .group(group)
      .default_of_target();
  app.add_option("--polish", train.polish, "svi: passes of cavi at the end (not of streamed data)")
      .range(0, 1'000'000)
      .group(group)
      .default_of_target();
  app.add_option("--inner", train.inner, "streaming: updates on one piece, at most")
      .range(1, 1'000'000)
      .group(group)
      .default_of_target();
  app.add_option("--update", arguments.prior,
                 "Folder of an earlier fit: its posterior is the prior of this one")
      .type_name("DIR")
      .group(group);
}

void add_data_options(const Command& app, Arguments& arguments) {
  conjugate::SourceRequest& data = arguments.request.data;
  const char* group = "Data";
  app.add_option("data", arguments.data, "Files, or a folder of files").required().type_name("DATA");
  bool has_target = false, has_documents = false, has_sequences = false;
  for (const ModelRecord* record : conjugate::model_records()) {
    if (record->verb != arguments.verb) continue;
    has_target |= record->has_target;
    has_documents |= record->data == conjugate::DataKind::documents;
    has_sequences |= record->data == conjugate::DataKind::sequences;
  }
  if (has_target)
    app.add_option("--target", data.target, "Column to explain").type_name("COLUMN").group(group);
  if (has_sequences)
    app.add_option("--sequence", data.sequence, "Column whose change begins a new sequence")
        .type_name("COLUMN")
        .group(group);
  if (has_documents) {
    app.add_option("--vocabulary", arguments.vocabulary, "File of the words, one a line")
        .type_name("FILE")
        .group(group);
    app.add_flag("--allow-empty", data.allows_empty_documents, "Keep documents without words").group(group);
  }
  app.add_option("--ignore", data.ignored, "Columns to leave out")
      .type_name("COLUMN")
      .one_value_each()
      .group(group);
  app.add_flag("--stream", data.streams, "Read the data piece by piece, in little memory").group(group);
}

Run add_model_verb(const Command& app, const std::string& verb) {
  const auto arguments = std::make_shared<Arguments>();
  arguments->verb = verb;
  add_data_options(app, *arguments);
  add_kind(app, *arguments);
  add_model_options(app, *arguments);
  add_training_options(app, *arguments);
  app.add_option("--seed", arguments->seed,
                 "Seed of all random numbers (default: a random one, which is recorded)")
      .not_negative();
  app.add_option("--threads", arguments->threads, "Threads (default: all cores)").range(1, 4096);
  app.add_option("--out", arguments->out, "Folder of the results (default: DATA-" + verb + ")")
      .type_name("DIR");
  app.add_flag("--no-units", arguments->has_no_units, "Leave out the table with a line for each row");
  app.add_option("--save-every", arguments->request.train.save_every, "Seconds between checkpoints")
      .not_negative()
      .default_of_target();
  app.add_flag("--resume", arguments->request.train.resume, "Go on with an interrupted fit in the folder");
  app.add_flag("--force", arguments->request.force, "Replace what is there already");
  app.add_flag("--quiet", arguments->quiet, "Print nothing but errors");
  return [arguments] { return run_verb(*arguments); };
}

}  // namespace

Run add_mixture(const Command& verb) { return add_model_verb(verb, "mixture"); }
Run add_topics(const Command& verb) { return add_model_verb(verb, "topics"); }
Run add_hmm(const Command& verb) { return add_model_verb(verb, "hmm"); }
Run add_factors(const Command& verb) { return add_model_verb(verb, "factors"); }
Run add_regress(const Command& verb) { return add_model_verb(verb, "regress"); }

}  // namespace kullback::cli
