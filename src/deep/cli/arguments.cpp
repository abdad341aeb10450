#include "deep/cli/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/nearest_name.hpp"

namespace kullback::deep::cli {

namespace {

constexpr std::size_t kWidth = 100;
constexpr std::size_t kHelpAt = 30;  // where the words of help begin

bool is_flag(const Option& option) { return option.fallback == "false" || option.fallback == "true"; }
bool is_truth(const std::string& word) { return word == "true" || word == "false"; }

std::string usage_hint(const Grammar& grammar) {
  return fmt::format("kullback {} --help shows the usage.", grammar.verb);
}

class Parser final {
 public:
  Parser(const Grammar& grammar, const std::vector<std::string>& words)
      : grammar_(grammar), words_(words), options_(all_options(grammar)) {}

  Arguments parse() {
    bool only_positionals = false;
    while (at_ < words_.size()) {
      const std::string& word = words_[at_++];
      if (only_positionals || word.size() < 2 || word[0] != '-' || is_number(word)) {
        result_.positionals.push_back(word);
      } else if (word == "--") {
        only_positionals = true;
      } else if (word == "--help" || word == "-h") {
        result_.wants_help = true;
        return std::move(result_);
      } else {
        take_option(word);
      }
    }
    check_positionals();
    return std::move(result_);
  }

 private:
  static bool is_number(const std::string& word) {
    return word[0] == '-' && (word[1] >= '0' && word[1] <= '9');
  }

  void take_option(const std::string& word) {
    const std::size_t equals = word.find('=');
    const std::string name = word.starts_with("--") ? word.substr(2, equals - 2) : std::string();
    const auto option = std::find_if(options_.begin(), options_.end(),
                                     [&](const Option& known) { return known.name == name; });
    if (name.empty() || option == options_.end()) refuse_unknown(word.substr(0, equals));
    std::string value;
    if (equals != std::string::npos) {
      value = word.substr(equals + 1);
    } else if (is_flag(*option)) {
      const bool has_value = at_ < words_.size() && is_truth(words_[at_]);
      value = has_value ? words_[at_++] : "true";
    } else if (at_ < words_.size() && !(words_[at_].starts_with("--") && words_[at_].size() > 2)) {
      value = words_[at_++];
    }
    if (value.empty()) refuse_without_value(*option);
    if (is_flag(*option) && !is_truth(value))
      throw Error(ErrorKind::usage, fmt::format("--{} is '{}'; it must be true or false.", name, value));
    keep(name, value);
  }

  void keep(const std::string& name, const std::string& value) {
    if (std::find(grammar_.lists.begin(), grammar_.lists.end(), name) != grammar_.lists.end()) {
      result_.lists[name].push_back(value);
      return;
    }
    const auto [before, is_new] = result_.values.emplace(name, value);
    if (!is_new)
      throw Error(ErrorKind::usage,
                  fmt::format("--{} is given twice: '{}' and '{}'.", name, before->second, value),
                  "Give it once.");
  }

  [[noreturn]] void refuse_unknown(const std::string& given) const {
    std::vector<std::string> names = {"--help"};
    for (const Option& option : options_) names.push_back("--" + option.name);
    const std::vector<std::string_view> views(names.begin(), names.end());
    const std::string_view near = nearest_name(given, views);
    throw Error(ErrorKind::usage, fmt::format("kullback {} has no option '{}'.", grammar_.verb, given),
                near.empty() ? usage_hint(grammar_) : fmt::format("Did you mean '{}'?", near));
  }

  [[noreturn]] static void refuse_without_value(const Option& option) {
    throw Error(ErrorKind::usage, fmt::format("--{} needs a value.", option.name),
                fmt::format("It is: {}.", option.help));
  }

  void check_positionals() const {
    const std::vector<Positional>& known = grammar_.positionals;
    const auto required = static_cast<std::size_t>(
        std::count_if(known.begin(), known.end(), [](const Positional& p) { return p.is_required; }));
    const std::size_t given = result_.positionals.size();
    if (given < required)
      throw Error(
          ErrorKind::usage,
          fmt::format("kullback {} needs {}: {}.", grammar_.verb, known[given].name, known[given].help),
          usage_hint(grammar_));
    const bool takes_many = !known.empty() && known.back().takes_many;
    if (given > known.size() && !takes_many)
      throw Error(
          ErrorKind::usage,
          fmt::format("kullback {} has no use for '{}'.", grammar_.verb, result_.positionals[known.size()]),
          usage_hint(grammar_));
  }

  const Grammar& grammar_;
  const std::vector<std::string>& words_;
  std::vector<Option> options_;
  std::size_t at_ = 0;
  Arguments result_;
};

// `head` on the left, words from column kHelpAt on, broken at spaces.
void append_entry(std::string& text, const std::string& head, const std::string& words) {
  std::string line = "  " + head;
  if (line.size() + 2 > kHelpAt) {
    text += line + "\n";
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
  text += line + "\n";
}

std::string upper_first(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

}  // namespace

std::vector<Option> all_options(const Grammar& grammar) {
  std::vector<Option> all;
  for (const OptionGroup& group : grammar.groups)
    all.insert(all.end(), group.options.begin(), group.options.end());
  return all;
}

Arguments parse(const Grammar& grammar, const std::vector<std::string>& words) {
  return Parser(grammar, words).parse();
}

std::string help_text(const Grammar& grammar) {
  std::string text = grammar.summary + "\nUsage: kullback " + grammar.verb;
  for (const Positional& positional : grammar.positionals) {
    const std::string name = positional.name + (positional.takes_many ? "..." : "");
    text += " " + (positional.is_required ? name : "[" + name + "]");
  }
  text += " [OPTIONS]\n";
  if (!grammar.positionals.empty()) text += "\n";
  for (const Positional& positional : grammar.positionals)
    append_entry(text, positional.name, upper_first(positional.help));
  for (const OptionGroup& group : grammar.groups) {
    if (group.options.empty()) continue;
    text += "\n" + group.title + ":\n";
    for (const Option& option : group.options) {
      std::string help = upper_first(option.help);
      if (!option.fallback.empty() && option.fallback != "false") help += " [" + option.fallback + "]";
      append_entry(text, "--" + option.name, help);
    }
  }
  return text;
}

}  // namespace kullback::deep::cli
