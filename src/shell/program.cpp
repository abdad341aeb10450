// CLI11 splits words into options and arguments. Before it looks at them, check_values sees to what it reads
// in a way of its own: an option takes the next word as its value even where that is the next option, and
// none where it is "--name=".
#include "shell/program.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "base/advice.hpp"
#include "base/error.hpp"
#include "base/nearest_name.hpp"
#include "shell/description.hpp"

namespace kullback::shell {

namespace {

constexpr std::size_t kWidth = 100;
constexpr std::size_t kHelpAt = 30;  // where the words of help begin

bool takes_many(const CLI::Option& option) { return option.get_items_expected_max() > 1; }

// "DATA": what an argument is called in the usage and in messages.
std::string name_of(const CLI::Option& argument) {
  std::string type = argument.get_type_name();
  type.resize(std::min({type.size(), type.find(':'), type.find("...")}));  // CLI11 appends the check it makes
  return type.empty() || type == "TEXT" ? argument.get_name() : type;
}

// Arguments by what they are called; help broken at spaces.
class HelpText final : public CLI::Formatter {
 public:
  HelpText() { label("SUBCOMMAND", "VERB"); }

  std::string make_option_usage(const CLI::Option* argument) const override {
    const std::string name = name_of(*argument) + (takes_many(*argument) ? "..." : "");
    return argument->get_required() ? name : "[" + name + "]";
  }

  std::string make_option(const CLI::Option* option, bool is_argument) const override {
    const std::string head =
        is_argument ? name_of(*option) : option->get_name(false, true) + make_option_opts(option);
    return entry(head, option->get_description());
  }

  // CLI11 leaves two empty lines between groups, and some at the end.
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
    for (std::size_t at = 0; (at = text.find("\n\n\n", at)) != std::string::npos;) text.erase(at, 1);
    text.resize(text.find_last_not_of('\n') + 1);
    return text + "\n";
  }

  std::string make_subcommand(const CLI::App* verb) const override {
    return entry(verb->get_name(), verb->get_description());
  }

 private:
  static std::string entry(const std::string& head, const std::string& words) {
    std::string text;
    std::string line = "  " + head;
    if (line.size() + 2 > kHelpAt) {
      text = line + "\n";
      line.clear();
    }
    line.resize(kHelpAt, ' ');
    bool is_empty = true;
    for (std::size_t begin = 0; begin < words.size();) {
      const std::size_t end = std::min(words.find(' ', begin), words.size());
      const std::string word = words.substr(begin, end - begin);
      begin = end + 1;
      if (!is_empty && line.size() + 1 + word.size() > kWidth) {
        text += line + "\n";
        line.assign(kHelpAt, ' ');
        is_empty = true;
      }
      line += (is_empty ? "" : " ") + word;
      is_empty = false;
    }
    return text + line + "\n";
  }
};

// What was printed must have arrived: a full disk is not success.
int flushed(int code) {
  const bool arrived = std::fflush(stdout) == 0;
  const int problem = errno;
  if (arrived && std::ferror(stdout) == 0) return code;
  throw Error(ErrorKind::cannot_write,
              fmt::format("standard output cannot be written: {}.",
                          arrived ? "an earlier write failed" : std::strerror(problem)));
}

std::vector<std::string_view> views(const std::vector<std::string>& names) {
  return {names.begin(), names.end()};
}

// "Folder of a fit" within a sentence.
std::string within_sentence(std::string help) {
  const auto is_lower = [&](std::size_t i) { return help.size() > i && help[i] >= 'a' && help[i] <= 'z'; };
  if (is_lower(1) && help[0] >= 'A' && help[0] <= 'Z') help[0] = static_cast<char>(help[0] - 'A' + 'a');
  return help;
}

[[noreturn]] void refuse(std::string message, std::string hint) {
  throw Error(ErrorKind::usage, std::move(message), std::move(hint));
}

// One verb of a program, chosen by the words, with its options.
class Chosen final {
 public:
  Chosen(const Program& program, const CLI::App& app) : program_(program), app_(app) {}

  std::string usage_hint() const { return call() + " --help shows the usage."; }

  // Joins a flag and its true or false; refuses an option without a value.
  void check_values(Words& words) const {
    for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
      const std::size_t equals = words[i].find('=');
      const CLI::Option* option =
          words[i].starts_with("-") ? app_.get_option_no_throw(words[i].substr(0, equals)) : nullptr;
      if (option == nullptr) continue;
      const bool is_flag = option->get_items_expected_max() == 0;
      const bool has_next = equals == std::string::npos && i + 1 < words.size();
      if (is_flag) {
        if (has_next && is_truth(words[i + 1])) {
          words[i] += "=" + words[i + 1];
          words.erase(words.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        }
        continue;
      }
      const bool is_next_option = has_next && words[i + 1].starts_with("--") && words[i + 1].size() > 2;
      const std::string value = equals != std::string::npos   ? words[i].substr(equals + 1)
                                : has_next && !is_next_option ? words[++i]
                                                              : std::string();
      if (value.empty())
        refuse(fmt::format("{} needs a value.", option->get_name()),
               fmt::format("It is: {}.", within_sentence(option->get_description())));
    }
  }

  [[noreturn]] void refuse_words(const CLI::ParseError& error) const {
    refuse_unknown_option();
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) refuse_repeated();
    if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) refuse_missing();
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) refuse_extra();
    refuse(error.what(), usage_hint());
  }

 private:
  std::string call() const { return fmt::format("{} {}", program_.starter, app_.get_name()); }

  // "--max-dept" where the verb has --max-depth.
  void refuse_unknown_option() const {
    std::vector<std::string> names;
    for (const CLI::Option* option : app_.get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& word : app_.remaining()) {
      if (!word.starts_with("-")) continue;
      const std::string given = word.substr(0, word.find('='));
      if (!given.starts_with("--"))
        refuse(fmt::format("found '{}', which is no option.", word),
               fmt::format("Options have two dashes: -{}.", word));
      const auto& foreign = program_.foreign_options;
      const auto known = std::find_if(foreign.begin(), foreign.end(), [&](const ForeignOption& option) {
        return option.name == given &&
               (option.ours.empty() || app_.get_option_no_throw(std::string(option.ours)) != nullptr);
      });
      const std::string_view near = nearest_name(given, views(names));
      refuse(fmt::format("{} has no option '{}'.", call(), given),
             known != foreign.end() ? std::string(known->hint)
             : near.empty()         ? usage_hint()
                                    : fmt::format("Did you mean '{}'?", near));
    }
  }

  void refuse_repeated() const {
    for (const CLI::Option* option : app_.get_options()) {
      const CLI::results_t& given = option->results();
      if (given.size() < 2 || takes_many(*option)) continue;
      refuse(fmt::format("{} is given twice: '{}' and '{}'.", option->get_name(), given[0], given[1]),
             "Give it once.");
    }
  }

  void refuse_missing() const {
    for (const CLI::Option* option : app_.get_options()) {
      if (!option->get_required() || option->count() > 0) continue;
      refuse(fmt::format("{} needs {}: {}.", call(),
                         option->get_positional() ? name_of(*option) : option->get_name(),
                         within_sentence(option->get_description())),
             usage_hint());
    }
  }

  void refuse_extra() const {
    const std::vector<std::string> extras = app_.remaining();
    if (extras.empty()) return;
    refuse(fmt::format("{}: '{}' is one argument too many.", call(), extras.front()),
           extras.front().find('=') == std::string::npos
               ? usage_hint()
               : fmt::format("Options have two dashes: --{}.", extras.front()));
  }

  const Program& program_;
  const CLI::App& app_;
};

[[noreturn]] void refuse_verb(const Program& program, const std::string& word) {
  const std::string hint = fmt::format("{} --help lists them.", program.name);
  if (word.starts_with("-")) refuse(fmt::format("{} has no option '{}'.", program.name, word), hint);
  std::vector<std::string_view> names;
  for (const Verb& verb : program.verbs) names.push_back(verb.name);
  const std::string_view near = nearest_name(word, names);
  refuse(fmt::format("there is no verb '{}'.", word),
         near.empty() ? hint : fmt::format("Did you mean '{}'?", near));
}

int run_verb(const Program& program, const Verb& verb, Words words) {
  CLI::App app(std::string(verb.summary), std::string(verb.name));
  app.formatter(std::make_shared<HelpText>());
  const Run run = verb.add(Command(app), words);
  const Chosen chosen(program, app);
  chosen.check_values(words);
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  try {
    app.parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help(std::string(program.starter)).c_str(), stdout);
    return 0;
  } catch (const CLI::ParseError& error) {
    chosen.refuse_words(error);
  }
  return run();
}

std::string overview(const Program& program) {
  CLI::App root(std::string(program.summary), std::string(program.name));
  root.formatter(std::make_shared<HelpText>());
  root.set_version_flag("--version", program.version);
  root.require_subcommand(0, 1);
  for (const Verb& verb : program.verbs)
    root.add_subcommand(std::string(verb.name), std::string(verb.summary))->group("Verbs");
  root.footer(fmt::format("{} VERB --help shows the options of each.", program.starter));
  return root.help();
}

// What is printed for a word that is no verb.
std::string about(const Program& program, const std::string& word) {
  if (word == "--version") return program.version + "\n";
  if (word == "--signatures") return signatures(program);  // for tools: not in the help
  if (word != "--help" && word != "-h") refuse_verb(program, word);
  return overview(program);
}

}  // namespace

int run_program(const Program& program, const Words& words) {
  if (words.empty()) {
    std::fputs(overview(program).c_str(), stderr);
    return static_cast<int>(ErrorKind::usage);
  }
  const auto chosen = std::find_if(program.verbs.begin(), program.verbs.end(),
                                   [&](const Verb& verb) { return verb.name == words[0]; });
  if (chosen != program.verbs.end())
    return flushed(run_verb(program, *chosen, {words.begin() + 1, words.end()}));
  std::fputs(about(program, words[0]).c_str(), stdout);
  return flushed(0);
}

void print_error(const std::string& message, const std::string& hint) {
  std::fprintf(stderr, "kullback: %s\n", for_terminal(message).c_str());
  if (!hint.empty()) std::fprintf(stderr, "  hint: %s\n", for_terminal(hint).c_str());
}

}  // namespace kullback::shell
