// The command line: verbs in, exit codes out (DESIGN: 0, 64, 65, 66, 70, 73).
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/advice.hpp"
#include "base/error.hpp"
#include "base/interrupt.hpp"
#include "base/stop.hpp"
#include "cli/deep.hpp"
#include "cli/verb.hpp"
#include "kullback_version.hpp"
#include "lang/check/suggest.hpp"

namespace kullback::cli {

namespace {

struct Verb {
  CLI::App* app;
  Run run;
};

std::vector<Verb> add_verbs(CLI::App& root) {
  std::vector<Verb> verbs;
#define KULLBACK_VERB(name, summary)                      \
  {                                                       \
    CLI::App* verb = root.add_subcommand(#name, summary); \
    verbs.push_back({verb, add_##name(Command(*verb))});  \
  }
#include "cli/verbs.def"
#undef KULLBACK_VERB
  return verbs;
}

std::string version() {
  std::string text = "kullback " + std::string(kVersion);
  if (kGitHash[0] != '\0') text += " (" + std::string(kGitHash) + ")";
  return text + ", Stan language 2.39, built with " + kCompiler;
}

int run_chosen(const std::vector<Verb>& verbs) {
  for (const Verb& verb : verbs) {
    if (verb.app->parsed()) return verb.run();
  }
  throw Error(ErrorKind::usage, "no verb was given.", "kullback --help lists them.");
}

// What was printed must have arrived: a full disk is not success.
int flushed(int code) {
  const bool arrived = std::fflush(stdout) == 0;
  const int problem = errno;
  if (arrived && std::ferror(stdout) == 0) return code;
  const std::string reason = arrived ? "an earlier write failed" : std::strerror(problem);
  throw Error(ErrorKind::cannot_write, "standard output cannot be written: " + reason + ".");
}

// What other programs of the field call it.
constexpr std::pair<std::string_view, std::string_view> kForeignOptions[] = {
    {"--data", "The data file comes after the program: MODEL.stan DATA.json."},
    {"--adapt-delta", "Here it is --target-accept."},
    {"--max-treedepth", "Here it is --max-depth."},
    {"--iter", "Here it is --draws, which does not count --warmup."},
    {"--iter-sampling", "Here it is --draws."},
    {"--num-samples", "Here it is --draws."},
    {"--iter-warmup", "Here it is --warmup."},
    {"--num-warmup", "Here it is --warmup."},
    {"--num-chains", "Here it is --chains."},
    {"--parallel-chains", "Here it is --threads."},
    {"--cores", "Here it is --threads."},
    {"--output-dir", "Here it is --out."},
    {"--algorithm", "Here it is --method."},
};

std::string foreign_option(std::string_view given) {
  for (const auto& [name, hint] : kForeignOptions) {
    if (name == given) return std::string(hint);
  }
  return {};
}

std::vector<std::string_view> views(const std::vector<std::string>& names) {
  return {names.begin(), names.end()};
}

// A word too many: of a verb, or in place of one.
std::string unexpected_text(const CLI::App& root, const CLI::App* verb, std::string& hint) {
  const std::vector<std::string> extras = verb != nullptr ? verb->remaining() : root.remaining();
  if (extras.empty()) return {};
  const auto dashed = std::find_if(extras.begin(), extras.end(),
                                   [](const std::string& word) { return word.starts_with('-'); });
  const std::string& word = dashed != extras.end() ? *dashed : extras.front();
  if (word.starts_with('-')) {
    hint = "Options have two dashes: -" + word + ".";
    return "found '" + word + "', which is no option.";
  }
  if (verb == nullptr) {
    std::vector<std::string> verbs;
    for (const CLI::App* each : root.get_subcommands({})) verbs.push_back(each->get_name());
    const std::string_view near = lang::nearest_name(word, views(verbs));
    if (!near.empty()) hint = "Did you mean '" + std::string(near) + "'?";
    return "there is no verb '" + word + "'.";
  }
  if (word.find('=') != std::string::npos) hint = "Options have two dashes: --" + word + ".";
  return "kullback " + verb->get_name() + ": '" + word + "' is one argument too many.";
}

// "--max-dept" where the verb has --max-depth.
std::string unknown_option_text(const CLI::App& verb, std::string& hint) {
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::vector<std::string_view> candidates = views(names);
  for (const std::string& extra : verb.remaining()) {
    if (!extra.starts_with("--")) continue;
    const std::string given = extra.substr(0, extra.find('='));
    hint = foreign_option(given);
    const std::string_view near = lang::nearest_name(given, candidates);
    if (hint.empty() && !near.empty()) hint = "Did you mean '" + std::string(near) + "'?";
    return "kullback " + verb.get_name() + " has no option '" + given + "'.";
  }
  return {};
}

// Help and version are "errors" of CLI11 with exit code 0.
int finish_parse_error(const CLI::App& root, const CLI::ParseError& e) {
  if (e.get_exit_code() == 0) {
    root.exit(e);
    return flushed(0);
  }
  std::string verb;
  std::string message = e.what();
  std::string hint;
  const std::vector<CLI::App*> chosen = root.get_subcommands();
  const CLI::App* const app = chosen.empty() ? nullptr : chosen.back();
  if (app != nullptr) verb = app->get_name() + " ";
  if (dynamic_cast<const CLI::ExtrasError*>(&e) != nullptr) {
    std::string better = app != nullptr ? unknown_option_text(*app, hint) : std::string();
    if (better.empty()) better = unexpected_text(root, app, hint);
    if (!better.empty()) message = better;
  }
  if (hint.empty()) hint = "kullback " + verb + "--help shows the usage.";
  throw Error(ErrorKind::usage, message, hint);
}

int parse_and_run(int argc, char** argv) {
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (is_for_deep(words)) return run_deep(words);
  CLI::App root("Approximate Bayesian inference for Stan programs, without a compiler.", "kullback");
  root.set_version_flag("--version", version());
  root.require_subcommand(0, 1);
  const std::vector<Verb> verbs = add_verbs(root);
  try {
    root.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return finish_parse_error(root, e);
  }
  if (root.get_subcommands().empty()) {
    std::fputs(root.help().c_str(), stderr);
    return static_cast<int>(ErrorKind::usage);
  }
  return flushed(run_chosen(verbs));
}

}  // namespace

void print_error(const std::string& message, const std::string& hint) {
  std::fprintf(stderr, "kullback: %s\n", for_terminal(message).c_str());
  if (!hint.empty()) std::fprintf(stderr, "  hint: %s\n", for_terminal(hint).c_str());
}

namespace {

int print_out_of_memory() {
  print_error("out of memory.",
              "Lower the counts among the options (--draws, --grad-draws, --particles, --paths), or the "
              "size of the data.");
  return static_cast<int>(ErrorKind::bad_input);
}

bool is_lack_of_threads(const std::exception& e) {
  const auto* refused = dynamic_cast<const std::system_error*>(&e);
  return refused != nullptr && refused->code() == std::errc::resource_unavailable_try_again;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return parse_and_run(argc, argv);
  } catch (const Error& e) {
    print_error(e.message(), e.hint());
    return static_cast<int>(e.kind());
  } catch (const Interrupted&) {
    print_error("interrupted before there was a result.", "");
    return kInterruptedCode;
  } catch (const std::length_error&) {  // of a container, beyond any memory
    return print_out_of_memory();
  } catch (const std::bad_alloc&) {
    return print_out_of_memory();
  } catch (const std::exception& e) {
    if (is_lack_of_threads(e)) {
      print_error("the system has no thread left to give.",
                  "Raise the limit on processes (ulimit -u shows it), or add --threads 1.");
      return static_cast<int>(ErrorKind::bad_input);
    }
    print_error(std::string("internal error: ") + e.what(),
                "Please report this with the input that caused it.");
    return static_cast<int>(ErrorKind::internal);
  }
}

}  // namespace kullback::cli
