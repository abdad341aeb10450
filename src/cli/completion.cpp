// Completion scripts, printed from the options the verbs declare. An option's values are completed where its
// type is written as alternatives ("ast|program"); everything else is a file.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "cli/verb.hpp"
#include "shell/description.hpp"

namespace kullback::cli {

namespace {

struct OptionWords {
  std::string name;    // "--dump"
  std::string values;  // "ast program", empty where any file will do
  std::string summary;
};

struct VerbWords {
  std::string name;
  std::string summary;
  std::string values;  // of its positional argument
  std::vector<OptionWords> options;
};

std::string alternatives(std::string values) {
  if (values.find('|') == std::string::npos) return {};
  std::replace(values.begin(), values.end(), '|', ' ');
  return values;
}

VerbWords words_of(const shell::DescribedVerb& verb) {
  VerbWords words{verb.name, verb.summary, {}, {}};
  for (const shell::DescribedOption& argument : verb.arguments) words.values = alternatives(argument.type);
  for (const shell::DescribedOption& option : verb.options)
    words.options.push_back({option.name, alternatives(option.type), option.help});
  return words;
}

std::vector<VerbWords> describe_all() {
  std::vector<VerbWords> all;
  for (const shell::DescribedVerb& verb : describe(program())) all.push_back(words_of(verb));
  return all;
}

std::string quoted(std::string text) {
  for (std::size_t i = 0; (i = text.find('\'', i)) != std::string::npos; i += 4) text.replace(i, 1, "'\\''");
  return "'" + text + "'";
}

std::string names_of(const std::vector<VerbWords>& verbs) {
  std::string names;
  for (const VerbWords& verb : verbs) names += verb.name + " ";
  return names + "--help --version";
}

std::string bash_script(const std::vector<VerbWords>& verbs) {
  std::string script =
      "# kullback completion bash > /etc/bash_completion.d/kullback\n"
      "_kullback() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W " +
      quoted(names_of(verbs)) +
      " -- \"$current\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"${COMP_WORDS[1]} $previous\" in\n";
  for (const VerbWords& verb : verbs) {
    for (const OptionWords& option : verb.options) {
      if (option.values.empty()) continue;
      script += "    " + quoted(verb.name + " " + option.name) + ") COMPREPLY=($(compgen -W " +
                quoted(option.values) + " -- \"$current\")); return ;;\n";
    }
  }
  script += "  esac\n  case \"${COMP_WORDS[1]}\" in\n";
  for (const VerbWords& verb : verbs) {
    std::string options;
    for (const OptionWords& option : verb.options) options += option.name + " ";
    script += "    " + verb.name + ") local options=" + quoted(options) + " values=" + quoted(verb.values) +
              " ;;\n";
  }
  return script +
         "    *) return ;;\n"
         "  esac\n"
         "  if [[ $current == -* ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$options\" -- \"$current\"))\n"
         "  elif [ -n \"$values\" ]; then\n"
         "    COMPREPLY=($(compgen -W \"$values\" -- \"$current\"))\n"
         "  else\n"
         "    COMPREPLY=($(compgen -f -- \"$current\"))\n"
         "  fi\n"
         "}\n"
         "complete -o filenames -F _kullback kullback\n";
}

// zsh's _arguments: brackets and colons in a description are escaped.
std::string zsh_text(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string zsh_script(const std::vector<VerbWords>& verbs) {
  std::string script =
      "#compdef kullback\n"
      "# kullback completion zsh > \"${fpath[1]}/_kullback\"\n"
      "_kullback() {\n"
      "  local -a verbs\n"
      "  verbs=(\n";
  for (const VerbWords& verb : verbs)
    script += "    " + quoted(verb.name + ":" + zsh_text(verb.summary)) + "\n";
  script +=
      "  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe verb verbs\n"
      "    return\n"
      "  fi\n"
      "  local verb=$words[2]\n"
      "  shift words\n"
      "  (( CURRENT-- ))\n"
      "  case $verb in\n";
  for (const VerbWords& verb : verbs) {
    script += "    " + verb.name + ") _arguments";
    for (const OptionWords& option : verb.options) {
      std::string spec = option.name + "[" + zsh_text(option.summary) + "]";
      if (!option.values.empty()) spec += ":value:(" + option.values + ")";
      script += " " + quoted(spec);
    }
    script += " " + quoted(verb.values.empty() ? "*:file:_files" : "1:value:(" + verb.values + ")") + " ;;\n";
  }
  return script + "  esac\n}\n_kullback \"$@\"\n";
}

std::string fish_script(const std::vector<VerbWords>& verbs) {
  std::string script = "# kullback completion fish > ~/.config/fish/completions/kullback.fish\n";
  for (const VerbWords& verb : verbs) {
    script += "complete -c kullback -n __fish_use_subcommand -f -a " + verb.name + " -d " +
              quoted(verb.summary) + "\n";
    const std::string when = "complete -c kullback -n '__fish_seen_subcommand_from " + verb.name + "'";
    for (const OptionWords& option : verb.options) {
      script += when + " -l " + option.name.substr(2) + " -d " + quoted(option.summary);
      if (!option.values.empty()) script += " -x -a " + quoted(option.values);
      script += "\n";
    }
    if (!verb.values.empty()) script += when + " -f -a " + quoted(verb.values) + "\n";
  }
  return script;
}

}  // namespace

Run add_completion(const Command& verb) {
  const auto shell = std::make_shared<std::string>();
  verb.add_option("shell", *shell, "The shell")
      .required()
      .type_name("bash|zsh|fish")
      .one_of({"bash", "zsh", "fish"});
  return [shell] {
    const std::vector<VerbWords> verbs = describe_all();
    const std::string script = *shell == "bash"  ? bash_script(verbs)
                               : *shell == "zsh" ? zsh_script(verbs)
                                                 : fish_script(verbs);
    std::fputs(script.c_str(), stdout);
    return 0;
  };
}

}  // namespace kullback::cli
