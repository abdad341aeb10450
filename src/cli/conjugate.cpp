// The verbs of conjugate models: mixture, topics, hmm, factors, regress.
#include <algorithm>
#include <cstdio>
#include <memory>
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
#include "shell/options.hpp"

namespace kullback::cli {

namespace {

namespace option = conjugate::option;

struct Arguments {
  std::string verb;
  std::vector<std::string> data;
  GivenTexts given;
};

// What is left to the machine and to chance is the same on all ranks.
conjugate::Request request_of(const Arguments& arguments, const Ranks& ranks) {
  conjugate::Request request = conjugate::read_request(
      arguments.verb, {arguments.data.begin(), arguments.data.end()}, arguments.given);
  OptionValues& values = request.values;
  if (!values.is_given(option::kSeed))
    values.set(option::kSeed, std::stoull(ranks.broadcast(std::to_string(fresh_seed()))));
  if (!values.is_given(option::kThreads)) {
    const std::size_t cores = std::thread::hardware_concurrency();
    values.set(option::kThreads, std::max<std::size_t>(1, cores / static_cast<std::size_t>(ranks.size())));
  }
  if (!values.is_given(option::kOut))
    values.set(option::kOut, default_folder(arguments.data.front(), "-" + arguments.verb));
  return request;
}

int run_on(const Ranks& ranks, const Arguments& arguments) {
  const conjugate::Request request = request_of(arguments, ranks);
  const bool prints = ranks.is_first() && !request.values[option::kQuiet];
  run::ProgressLine display(!prints);
  const InterruptGuard guard({.is_announced = ranks.is_first(), .is_bounded = true});
  const conjugate::Outcome outcome = conjugate::fit(
      request, ranks,
      {.on_progress = [&](const auto& progress) { display.show(progress); }, .should_stop = is_interrupted});
  display.clear();
  if (prints) std::fputs(for_terminal(outcome_text(outcome, outcome.folder)).c_str(), stdout);
  if (ranks.is_first() && request.values[option::kReport]) write_report(outcome.folder, prints);
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

Run add_model_verb(const Command& verb, const std::string& name) {
  const auto arguments = std::make_shared<Arguments>();
  arguments->verb = name;
  verb.add_option("data", arguments->data, "Files, or a folder of files").required().type_name("DATA");
  for (const conjugate::OptionGroup& group : conjugate::option_groups(name))
    shell::add_options(verb, shell::united(group.parts), std::string(group.title), arguments->given);
  return [arguments] { return run_verb(*arguments); };
}

}  // namespace

Run add_mixture(const Command& verb) { return add_model_verb(verb, "mixture"); }
Run add_topics(const Command& verb) { return add_model_verb(verb, "topics"); }
Run add_hmm(const Command& verb) { return add_model_verb(verb, "hmm"); }
Run add_factors(const Command& verb) { return add_model_verb(verb, "factors"); }
Run add_regress(const Command& verb) { return add_model_verb(verb, "regress"); }

}  // namespace kullback::cli
