// Verbs as records: what completion scripts and the signatures of other languages are printed from.
#include "shell/description.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace kullback::shell {
namespace {

Run add_draw(const Command& verb, const Words&) {
  static std::string model;
  static std::size_t draws = 10;
  static bool force = false;
  static std::vector<std::string> ignored;
  verb.add_option("model", model, "The model").required().type_name("MODEL");
  verb.add_option("--draws", draws, "Draws to keep")
      .whole_number(1, 100)
      .type_name("COUNT")
      .default_of_target();
  verb.add_option("--ignore", ignored, "Columns to leave out").type_name("COLUMN").one_value_each();
  verb.add_flag("--force", force, "Replace what is there");
  verb.add_truth(
      "--tune", [](const std::string&) {}, "Tune the prior [true]");
  return [] { return 0; };
}

Program program() {
  return {.name = "toy",
          .starter = "toy",
          .summary = "A toy.",
          .version = "1",
          .verbs = {{"draw", "Draw \"numbers\"", add_draw}, {"train", "Train", {}}}};
}

const DescribedOption& option_named(const std::vector<DescribedOption>& options, const std::string& name) {
  const auto at = std::find_if(options.begin(), options.end(),
                               [&](const DescribedOption& option) { return option.name == name; });
  if (at == options.end()) throw std::out_of_range(name);
  return *at;
}

TEST(Description, HasAllThatWasSaidOfAnOption) {
  const std::vector<DescribedVerb> verbs = describe(program());
  ASSERT_EQ(verbs.size(), 2U);
  const DescribedVerb& draw = verbs[0];
  ASSERT_EQ(draw.arguments.size(), 1U);
  EXPECT_EQ(draw.arguments[0].type, "MODEL");
  EXPECT_TRUE(draw.arguments[0].is_required);
  const DescribedOption& draws = option_named(draw.options, "--draws");
  EXPECT_EQ(draws.type, "COUNT");  // without the check that CLI11 appends
  EXPECT_EQ(draws.fallback, "10");
  EXPECT_EQ(draws.help, "Draws to keep");
  EXPECT_FALSE(draws.is_flag || draws.takes_many || draws.is_required);
  EXPECT_TRUE(option_named(draw.options, "--ignore").takes_many);
  EXPECT_EQ(option_named(draw.options, "--force").fallback, "false");
  const DescribedOption& tune = option_named(draw.options, "--tune");
  EXPECT_TRUE(tune.is_flag);
  EXPECT_EQ(tune.fallback, "true");
  EXPECT_EQ(tune.help, "Tune the prior");
}

TEST(Description, KnowsVerbsOfAnotherProgramByNameAlone) {
  const DescribedVerb train = describe(program())[1];
  EXPECT_FALSE(train.is_own);
  ASSERT_EQ(train.options.size(), 1U);
  EXPECT_EQ(train.options[0].name, "--help");
  EXPECT_EQ(signatures(program()).find("Train"), std::string::npos);
}

TEST(Description, IsJson) {
  const std::string json = signatures(program());
  EXPECT_NE(json.find(R"({"program": "toy", "verbs": [)"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("summary": "Draw \"numbers\"")"), std::string::npos) << json;
  EXPECT_NE(json.find(R"({"name": "--draws", "help": "Draws to keep", "type": "COUNT", "default": "10"})"),
            std::string::npos)
      << json;
  EXPECT_NE(
      json.find(R"({"name": "--force", "help": "Replace what is there", "default": "false", "flag": true})"),
      std::string::npos)
      << json;
}

std::function<void(const Command&)> with_steps(const char* fallback, bool has_label) {
  return [=](const Command& part) {
    part.add_text(
            "--steps", [](const std::string&) {}, "Steps")
        .type_name("COUNT")
        .default_text(fallback);
    if (has_label)
      part.add_text(
          "--label", [](const std::string&) {}, "Label");
  };
}

std::vector<DescribedOption> help_of(std::span<const Part> parts) {
  Program united = program();
  united.verbs = {{"sample", "Sample", [parts](const Command& verb, const Words&) {
                     add_help_of_parts(verb, parts);
                     return Run();
                   }}};
  return describe(united)[0].options;
}

TEST(HelpOfParts, HasEachOptionOnceWithWhoseItIs) {
  const std::array<Part, 2> parts{{{"vae", with_steps("5", true)}, {"ebm", with_steps("5", false)}}};
  const std::vector<DescribedOption> options = help_of(parts);
  ASSERT_EQ(options.size(), 3U);  // with --help
  EXPECT_EQ(option_named(options, "--steps").help, "Steps");
  EXPECT_EQ(option_named(options, "--steps").fallback, "5");
  EXPECT_EQ(option_named(options, "--label").help, "Label (vae)");
}

TEST(HelpOfParts, TellsDefaultsThatDiffer) {
  const std::array<Part, 2> parts{{{"vae", with_steps("5", false)}, {"ebm", with_steps("50", false)}}};
  const DescribedOption steps = option_named(help_of(parts), "--steps");
  EXPECT_EQ(steps.help, "Steps [5; ebm: 50]");
  EXPECT_EQ(steps.fallback, "");
}

}  // namespace
}  // namespace kullback::shell
