#include "conjugate/fit_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/nearest_name.hpp"

namespace kullback::conjugate {

namespace {

constexpr const OptionRecord* kOfTables[] = {&option::kIgnore, &option::kStream};
constexpr const OptionRecord* kOfTargets[] = {&option::kTarget, &option::kIgnore, &option::kStream};
constexpr const OptionRecord* kOfSequences[] = {&option::kSequence, &option::kIgnore, &option::kStream};
constexpr const OptionRecord* kOfDocuments[] = {&option::kVocabulary, &option::kAllowEmpty, &option::kIgnore,
                                                &option::kStream};
constexpr const OptionRecord* kTraining[] = {&option::kMethod, &option::kStarts, &option::kUpdate};
constexpr const OptionRecord* kRun[] = {&option::kSeed,    &option::kThreads,   &option::kOut,
                                        &option::kNoUnits, &option::kSaveEvery, &option::kResume,
                                        &option::kForce,   &option::kReport,    &option::kQuiet};

OptionTable data_options(const ModelRecord& model) {
  switch (model.data) {
    case DataKind::table: return model.has_target ? OptionTable(kOfTargets) : OptionTable(kOfTables);
    case DataKind::documents: return kOfDocuments;
    case DataKind::sequences: return kOfSequences;
  }
  return {};
}

OptionTable method_options(const OptionValues& values) {
  return method_tables()[static_cast<std::size_t>(values[option::kMethod])].options;
}

[[noreturn]] void refuse_unknown(const std::string& verb, const std::vector<OptionGroup>& groups,
                                 const std::string& name) {
  std::vector<std::string_view> names;
  for (const OptionGroup& group : groups)
    for (const OwnedTable& part : group.parts)
      for (const OptionRecord* option : part.options) names.push_back(option->name);
  const std::string_view near = nearest_name(name, names);
  throw Error(ErrorKind::usage, fmt::format("kullback {} has no option '{}'.", verb, flag_of(name)),
              near.empty() ? fmt::format("kullback {} --help lists them.", verb)
                           : fmt::format("Did you mean '{}'?", flag_of(near)));
}

// Null where no part has it. Throws Error usage where a part has it that was not chosen.
const OptionRecord* find_chosen(const OptionGroup& group, const OptionValues& values,
                                const std::string& name) {
  if (group.chosen_by == nullptr) return find_option(group.parts.front().options, name);
  const std::string chosen = values.text_of(*group.chosen_by);
  const OwnedTable* other = nullptr;
  for (const OwnedTable& part : group.parts) {
    const OptionRecord* option = find_option(part.options, name);
    if (option != nullptr && part.owner == chosen) return option;
    if (option != nullptr && other == nullptr) other = &part;
  }
  if (other == nullptr) return nullptr;
  const std::string flag = flag_of(group.chosen_by->name);
  throw Error(ErrorKind::usage, fmt::format("{} is not an option of {} {}.", flag_of(name), flag, chosen),
              fmt::format("Leave it out, or add `{} {}`.", flag, other->owner));
}

// Why an option of the chosen parts has no effect: another option, and what to do; empty where it has one.
struct Idleness {
  std::string_view beside;
  std::string_view hint;
};

Idleness idleness(const OptionRecord& option, const OptionValues& values) {
  const bool is_adam = values[option::kStep] == StepRule::adam;
  if (is_adam && (&option == &option::kDelay || &option == &option::kForgetting))
    return {"--step adam", "Leave it out, or add `--step robbins-monro`."};
  if (!is_adam && &option == &option::kRate)
    return {"--step robbins-monro", "Leave it out, or add `--step adam`."};
  if (values[option::kStream] && (&option == &option::kFirstSteps || &option == &option::kPolish))
    return {"--stream", "Leave it out: it needs all data in memory."};
  return {};
}

void refuse_idle_options(const GivenTexts& given, OptionTable options, const OptionValues& values) {
  for (const OptionRecord* option : options) {
    const Idleness idle = idleness(*option, values);
    if (idle.beside.empty() || !given.contains(std::string(option->name))) continue;
    throw Error(ErrorKind::usage,
                fmt::format("{} has no effect with {}.", flag_of(option->name), idle.beside),
                std::string(idle.hint));
  }
}

}  // namespace

std::vector<OptionGroup> option_groups(std::string_view verb) {
  const OptionRecord& kind = kind_option(verb);
  std::vector<OptionGroup> groups = {{"Model", nullptr, {{{}, kind_table(verb)}}},
                                     {"Training", nullptr, {{{}, kTraining}}},
                                     {"Data", &kind, {}},
                                     {"Model", &kind, {}},
                                     {"Training", &option::kMethod, {}},
                                     {"Options", nullptr, {{{}, kRun}}}};
  for (const ModelRecord* model : model_records()) {
    if (model->verb != verb) continue;
    groups[2].parts.push_back({model->kind, data_options(*model)});
    groups[3].parts.push_back({model->kind, model->options});
  }
  groups[4].parts.assign(method_tables().begin(), method_tables().end());
  return groups;
}

Request read_request(const std::string& verb, std::vector<std::filesystem::path> data,
                     const GivenTexts& given) {
  const std::vector<OptionGroup> groups = option_groups(verb);
  Request request{.data = std::move(data)};
  GivenTexts left = given;
  for (const OptionGroup& group : groups) {
    for (const auto& [name, text] : given) {
      if (!left.contains(name)) continue;
      const OptionRecord* option = find_chosen(group, request.values, name);
      if (option == nullptr) continue;
      request.values.put(*option, read_option(*option, text));
      left.erase(name);
    }
  }
  if (!left.empty()) refuse_unknown(verb, groups, left.begin()->first);
  refuse_idle_options(given, method_options(request.values), request.values);
  request.model = find_model(verb, request.values.text_of(kind_option(verb)));
  if (request.model->has_target && !request.values.is_given(option::kTarget))
    throw Error(ErrorKind::usage, fmt::format("kullback {} must know which column to explain.", verb),
                "Name it with --target.");
  return request;
}

SourceRequest source_request(const Request& request) {
  const OptionValues& values = request.values;
  const std::span<const std::string> ignored = values[option::kIgnore];
  SourceRequest data;
  data.paths = request.data;
  data.allows_empty_documents = values[option::kAllowEmpty];
  data.target = values[option::kTarget];
  data.ignored.assign(ignored.begin(), ignored.end());
  data.sequence = values[option::kSequence];
  data.vocabulary = values[option::kVocabulary];
  data.streams = values[option::kStream];
  set_needs(*request.model, data);
  return data;
}

run::RunOptions recorded_options(const Request& request) {
  const OptionValues& values = request.values;
  std::vector<const OptionRecord*> read;
  for (const OptionTable table : {kind_table(request.model->verb), data_options(*request.model),
                                  request.model->options, OptionTable(kTraining), method_options(values)}) {
    std::copy_if(table.begin(), table.end(), std::back_inserter(read),
                 [&](const OptionRecord* option) { return idleness(*option, values).beside.empty(); });
  }
  run::RunOptions recorded;
  recorded.set(read, values);
  return recorded;
}

}  // namespace kullback::conjugate
