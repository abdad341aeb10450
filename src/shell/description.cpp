#include "shell/description.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/json.hpp"

namespace kullback::shell {

namespace {

constexpr std::string_view kIsOn = " [true]";  // at the end of the help of a flag that is on

DescribedOption describe_option(const CLI::Option& option) {
  DescribedOption described;
  described.name = option.get_positional() ? option.get_name() : "--" + option.get_lnames().front();
  described.group = option.get_group();
  described.help = option.get_description();
  described.is_flag = option.get_items_expected_max() == 0;
  described.takes_many = option.get_items_expected_max() > 1;
  described.is_required = option.get_required();
  if (described.is_flag) {
    const bool is_on = described.help.ends_with(kIsOn);
    if (is_on) described.help.resize(described.help.size() - kIsOn.size());
    described.fallback = is_on ? "true" : "false";
    return described;
  }
  described.type = option.get_type_name();
  // CLI11 appends the check it makes.
  described.type.resize(std::min(described.type.size(), described.type.find(':')));
  described.fallback = option.get_default_str();
  return described;
}

void describe_options(const CLI::App& app, DescribedVerb& described) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) {
      described.arguments.push_back(describe_option(*option));
    } else if (!option->get_lnames().empty()) {
      described.options.push_back(describe_option(*option));
    }
  }
}

DescribedVerb describe_verb(const Verb& verb) {
  DescribedVerb described{std::string(verb.name), std::string(verb.summary), static_cast<bool>(verb.add)};
  CLI::App app(std::string(verb.summary), std::string(verb.name));
  if (verb.add) verb.add(Command(app), {"--help"});  // all its options, whatever words may follow
  describe_options(app, described);
  return described;
}

std::string json_of(const DescribedOption& option) {
  std::string text =
      fmt::format("{{\"name\": {}, \"help\": {}", json_string(option.name), json_string(option.help));
  if (!option.type.empty()) text += fmt::format(", \"type\": {}", json_string(option.type));
  if (!option.fallback.empty()) text += fmt::format(", \"default\": {}", json_string(option.fallback));
  if (option.is_flag) text += ", \"flag\": true";
  if (option.takes_many) text += ", \"many\": true";
  if (option.is_required) text += ", \"required\": true";
  return text + "}";
}

std::string json_of(const std::vector<DescribedOption>& options) {
  std::string text;
  for (const DescribedOption& option : options)
    text += (text.empty() ? "\n      " : ",\n      ") + json_of(option);
  return "[" + text + "]";
}

// What other programs call an option: the option of ours that it is, where it is one, and a hint.
std::string foreign_json(const Program& program) {
  std::string text;
  for (const auto& [name, ours, hint] : program.foreign_options)
    text += fmt::format("{}\n  {}: [{}, {}]", text.empty() ? "" : ",", json_string(name), json_string(ours),
                        json_string(hint));
  return "{" + text + "}";
}

// An option, while it is not known yet which parts have it.
struct Gathered {
  DescribedOption option;
  std::vector<std::string_view> owners;
  std::string defaults;  // "64; ebm: 10"
  bool has_one_default = true;
};

void gather(std::string_view owner, const std::vector<DescribedOption>& options, std::vector<Gathered>& all) {
  for (const DescribedOption& option : options) {
    auto at = std::find_if(all.begin(), all.end(),
                           [&](const Gathered& known) { return known.option.name == option.name; });
    if (at == all.end())
      at = all.insert(all.end(), {.option = option, .owners = {}, .defaults = option.fallback});
    at->owners.push_back(owner);
    if (option.fallback == at->option.fallback) continue;
    at->defaults += fmt::format("; {}: {}", owner, option.fallback);
    at->has_one_default = false;
  }
}

void show(const Command& verb, const Gathered& item, std::size_t parts) {
  const DescribedOption& option = item.option;
  std::string help = option.help;
  if (item.owners.size() < parts) help += fmt::format(" ({})", fmt::join(item.owners, ", "));
  if (!item.has_one_default) help += fmt::format(" [{}]", item.defaults);
  const auto add = [&] {
    if (option.is_flag)
      return verb.add_truth(
          option.name, [](const std::string&) {},
          help + (option.fallback == "true" ? std::string(kIsOn) : std::string()));
    const AddedOption added = option.takes_many
                                  ? verb.add_list(
                                        option.name, [](const std::vector<std::string>&) {}, help)
                                  : verb.add_text(
                                        option.name, [](const std::string&) {}, help);
    added.type_name(option.type);
    if (item.has_one_default && !option.fallback.empty()) added.default_text(option.fallback);
    return option.is_required ? added.required() : added;
  };
  add().group(option.group);
}

}  // namespace

std::vector<DescribedVerb> describe(const Program& program) {
  std::vector<DescribedVerb> all;
  for (const Verb& verb : program.verbs) all.push_back(describe_verb(verb));
  return all;
}

std::string signatures(const Program& program) {
  std::string text;
  for (const DescribedVerb& verb : describe(program)) {
    if (!verb.is_own) continue;
    text +=
        fmt::format("{}\n  {{\"name\": {}, \"summary\": {},\n    \"arguments\": {},\n    \"options\": {}}}",
                    text.empty() ? "" : ",", json_string(verb.name), json_string(verb.summary),
                    json_of(verb.arguments), json_of(verb.options));
  }
  return fmt::format("{{\"program\": {}, \"verbs\": [{}\n],\n\"foreign\": {}}}\n", json_string(program.name),
                     text, foreign_json(program));
}

bool asks_for_help(const Words& words) {
  return std::any_of(words.begin(), words.end(),
                     [](const std::string& word) { return word == "--help" || word == "-h"; });
}

void add_help_of_parts(const Command& verb, std::span<const Part> parts) {
  std::vector<Gathered> arguments, options;
  for (const Part& part : parts) {
    CLI::App app;
    part.add(Command(app));
    DescribedVerb described;
    describe_options(app, described);
    const auto is_there = [&](const DescribedOption& option) {
      return verb.app().get_option_no_throw(option.name) != nullptr;
    };
    std::erase_if(described.arguments, is_there);
    std::erase_if(described.options, is_there);
    gather(part.owner, described.arguments, arguments);
    gather(part.owner, described.options, options);
  }
  for (const Gathered& argument : arguments) show(verb, argument, parts.size());
  for (const Gathered& option : options) show(verb, option, parts.size());
}

}  // namespace kullback::shell
