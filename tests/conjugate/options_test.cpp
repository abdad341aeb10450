// The tables of options of the verbs: names, refusals, and the records of runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "base/error.hpp"
#include "conjugate/fit_options.hpp"
#include "run/record.hpp"

namespace kullback::conjugate {
namespace {

using Texts = GivenTexts;

std::vector<std::string> verbs() {
  std::vector<std::string> names;
  for (const ModelRecord* model : model_records()) {
    if (std::find(names.begin(), names.end(), model->verb) == names.end()) names.push_back(model->verb);
  }
  return names;
}

std::string refusal(const std::string& verb, const Texts& given) {
  try {
    read_request(verb, {"data.csv"}, given);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.message() + " | " + error.hint();
  }
  return "none";
}

// A value that the option can have, but is not its default.
std::string other_text(const OptionRecord& option) {
  switch (option.type) {
    case OptionType::flag: return option.fallback == 0 ? "1" : "0";
    case OptionType::choice: {
      const std::string choices(option.choices);
      return choices.substr(choices.rfind('|') + 1);
    }
    case OptionType::number:
      return std::isfinite(option.high) ? std::to_string((option.low + option.high) / 2) : "0.1";
    case OptionType::count: return std::to_string(static_cast<std::size_t>(option.fallback) + 3);
    case OptionType::list: return "first column\nsecond\n";
    case OptionType::text:
    case OptionType::size: break;
  }
  return "a 'text' of \"words\"";
}

TEST(Options, NamesAreThoseOfOneOption) {
  for (const std::string& verb : verbs()) {
    std::map<std::string_view, std::size_t> group_of;
    const std::vector<OptionGroup> groups = option_groups(verb);
    for (std::size_t i = 0; i < groups.size(); ++i) {
      for (const OwnedTable& part : groups[i].parts) {
        std::set<std::string_view> own;
        for (const OptionRecord* option : part.options) {
          SCOPED_TRACE(verb + " " + std::string(option->name));
          EXPECT_EQ(option->name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), std::string_view::npos);
          EXPECT_TRUE(own.insert(option->name).second);
          EXPECT_EQ(group_of.emplace(option->name, i).first->second, i) << "in two groups";
          EXPECT_NE(option->help.back(), '.');
          if (option->is_optional) continue;
          EXPECT_NO_THROW(check_option(*option, default_value(*option)));
        }
      }
    }
  }
}

TEST(Options, TablesOfMethodsAreInTheirOrder) {
  std::string names;
  for (const OwnedTable& table : method_tables())
    names += (names.empty() ? "" : "|") + std::string(table.owner);
  EXPECT_EQ(names, option::kMethod.choices);
}

TEST(Options, DefaultsOfTrainingAreThoseOfTheRecords) {
  const TrainOptions given = train_options({}), preset;
  EXPECT_EQ(given.passes, preset.passes);
  EXPECT_EQ(given.bound_tol, preset.bound_tol);
  EXPECT_EQ(given.save_every, 10);
  EXPECT_EQ(train_options(read_request("mixture", {}, {{"method", "svi"}}).values).passes, 20u);
  EXPECT_EQ(train_options(read_request("mixture", {}, {{"method", "streaming"}}).values).passes, 1u);
}

TEST(Options, WhatIsNotReadIsRefused) {
  EXPECT_EQ(refusal("mixture", {{"batch", "10"}}),
            "--batch is not an option of --method cavi. | Leave it out, or add `--method svi`.");
  EXPECT_EQ(refusal("mixture", {{"method", "svi"}, {"bound_tol", "0"}}),
            "--bound-tol is not an option of --method svi. | Leave it out, or add `--method cavi`.");
  EXPECT_EQ(refusal("mixture", {{"kind", "poisson"}, {"covariance", "full"}}),
            "--covariance is not an option of --kind poisson. | Leave it out, or add `--kind gaussian`.");
  EXPECT_EQ(refusal("factors", {{"vocabulary", "words.txt"}}),
            "--vocabulary is not an option of --kind pca. | Leave it out, or add `--kind matrix`.");
  EXPECT_EQ(refusal("mixture", {{"method", "svi"}, {"step", "adam"}, {"delay", "10"}}),
            "--delay has no effect with --step adam. | Leave it out, or add `--step robbins-monro`.");
  EXPECT_EQ(refusal("mixture", {{"method", "svi"}, {"rate", "0.1"}}),
            "--rate has no effect with --step robbins-monro. | Leave it out, or add `--step adam`.");
  EXPECT_EQ(refusal("mixture", {{"stream", "1"}, {"method", "svi"}, {"polish", "2"}}),
            "--polish has no effect with --stream. | Leave it out: it needs all data in memory.");
  EXPECT_EQ(refusal("mixture", {{"tolerance", "0.1"}}),
            "kullback mixture has no option '--tolerance'. | kullback mixture --help lists them.");
  EXPECT_EQ(refusal("mixture", {{"componets", "2"}}),
            "kullback mixture has no option '--componets'. | Did you mean '--components'?");
  EXPECT_EQ(refusal("mixture", {{"kind", "cubic"}}),
            "--kind: found 'cubic', but a value must be gaussian, categorical or poisson. | ");
  EXPECT_EQ(refusal("regress", {}),
            "kullback regress must know which column to explain. | Name it with --target.");
}

// All options of a verb with one choice of kind, method and steps.
Texts all_but_defaults(const std::string& verb, const Texts& chosen) {
  Texts given = chosen;
  for (const OptionGroup& group : option_groups(verb)) {
    for (const OwnedTable& part : group.parts) {
      const bool is_chosen =
          group.chosen_by == nullptr || chosen.at(std::string(group.chosen_by->name)) == part.owner;
      if (!is_chosen) continue;
      for (const OptionRecord* option : part.options) given.emplace(option->name, other_text(*option));
    }
  }
  const bool is_adam = given.contains("step") && given.at("step") == "adam";
  for (const char* idle : {"delay", "forgetting"})
    if (is_adam) given.erase(idle);
  if (!is_adam) given.erase("rate");
  if (given.contains("polish") || given.contains("first_steps")) given.erase("stream");
  return given;
}

// As a folder keeps it.
run::RunOptions through_the_file(const run::RunOptions& options) {
  run::RunRecord record;
  record.options = options;
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "kullback-options-test.json";
  std::ofstream(path) << run::to_json(record);
  record = run::read_run_record(path.string());
  std::filesystem::remove(path);
  return record.options;
}

TEST(Options, RecordOfEveryVerbWithEveryOptionRoundTrips) {
  const Texts steps[] = {{{"method", "cavi"}},
                         {{"method", "svi"}, {"step", "robbins-monro"}},
                         {{"method", "svi"}, {"step", "adam"}},
                         {{"method", "streaming"}}};
  for (const ModelRecord* model : model_records()) {
    for (const Texts& step : steps) {
      SCOPED_TRACE(model->verb + " " + model->kind + " " + step.at("method"));
      Texts chosen = step;
      chosen["kind"] = model->kind;
      const Request request = read_request(model->verb, {"data"}, all_but_defaults(model->verb, chosen));
      const auto written = recorded_options(request);
      const auto read = through_the_file(written);
      EXPECT_EQ(read, written);
      Texts texts;
      for (const auto& [name, value] : read) texts[name] = run::text_of(value);
      const Request again = read_request(model->verb, {"data"}, texts);
      EXPECT_EQ(again.model, model);
      for (const OptionGroup& group : option_groups(model->verb)) {
        for (const OwnedTable& part : group.parts) {
          for (const OptionRecord* option : part.options) {
            if (!written.contains(option->name)) continue;
            EXPECT_EQ(again.values.value_of(*option), request.values.value_of(*option)) << option->name;
          }
        }
      }
      for (const OptionRecord* option : model->options) {
        EXPECT_TRUE(written.contains(option->name)) << option->name;
        EXPECT_FALSE(again.values.is_default(*option)) << option->name;
      }
    }
  }
}

}  // namespace
}  // namespace kullback::conjugate
