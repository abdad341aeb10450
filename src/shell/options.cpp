#include "shell/options.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kullback::shell {

namespace {

// An option, while it is not known yet which parts have it.
struct Gathered {
  const OptionRecord* record = nullptr;
  std::vector<std::string_view> owners;
  std::string defaults;  // "0.005; ivon: 0.1"
  bool has_one_default = true;
};

void gather(const OwnedTable& part, const OptionRecord& option, std::vector<Gathered>& all) {
  auto at = std::find_if(all.begin(), all.end(),
                         [&](const Gathered& known) { return known.record->name == option.name; });
  if (at == all.end())
    at = all.insert(all.end(), {.record = &option, .owners = {}, .defaults = default_text(option)});
  at->owners.push_back(part.owner);
  if (default_text(option) == default_text(*at->record)) return;
  at->defaults += fmt::format("; {}: {}", part.owner, default_text(option));
  at->has_one_default = false;
}

// Of an option that is given twice the last counts: advice is pasted after the command that was run.
void add_option(const Command& verb, const UnitedOption& option, const std::string& group,
                GivenTexts& given) {
  const std::string name(option.record->name), flag = flag_of(name);
  const auto take = [&given, name](const std::string& text) { given[name] = text; };
  const auto finish = [&group](const AddedOption& added) {
    if (!group.empty()) added.group(group);
  };
  if (option.record->type == OptionType::flag) {
    const bool is_on = option.record->fallback != 0;
    finish(verb.add_truth(flag, take, option.help + (is_on ? " [true]" : "")).last_one_counts());
  } else if (option.record->type == OptionType::list) {
    const auto take_all = [&given, name](const std::vector<std::string>& items) {
      given[name] = fmt::format("{}\n", fmt::join(items, "\n"));
    };
    finish(verb.add_list(flag, take_all, option.help)
               .type_name(std::string(type_text(*option.record)))
               .one_value_each());
  } else {
    const AddedOption added = verb.add_text(flag, take, option.help).last_one_counts();
    added.type_name(std::string(type_text(*option.record)));
    if (!option.fallback.empty()) added.default_text(option.fallback);
    finish(added);
  }
}

}  // namespace

std::vector<UnitedOption> united(std::span<const OwnedTable> parts, OptionTable taken) {
  std::vector<Gathered> all;
  for (const OwnedTable& part : parts) {
    for (const OptionRecord* option : part.options) {
      if (find_option(taken, option->name) == nullptr) gather(part, *option, all);
    }
  }
  std::vector<UnitedOption> result;
  for (const Gathered& item : all) {
    UnitedOption option{item.record, std::string(item.record->help), default_text(*item.record)};
    if (item.owners.size() < parts.size()) option.help += fmt::format(" ({})", fmt::join(item.owners, ", "));
    if (!item.has_one_default) {
      option.help += fmt::format(" [{}]", item.defaults);
      option.fallback.clear();
    }
    result.push_back(std::move(option));
  }
  return result;
}

void add_options(const Command& verb, std::span<const UnitedOption> options, const std::string& group,
                 GivenTexts& given) {
  for (const UnitedOption& option : options) add_option(verb, option, group, given);
}

void add_options(const Command& verb, OptionTable options, const std::string& group, GivenTexts& given) {
  add_options(verb, united(std::vector<OwnedTable>{{.owner = {}, .options = options}}), group, given);
}

}  // namespace kullback::shell
