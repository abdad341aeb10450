#include "shell/program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>

#include "base/error.hpp"

namespace kullback::shell {
namespace {

struct Baked {
  std::string dough, shape = "round";
  std::vector<std::string> more, toppings;
  std::map<std::string, std::string> words;
  double degrees = 180;
  std::optional<std::size_t> minutes;
  bool is_quiet = false;
  bool was_run = false;
};

constexpr ForeignOption kForeign[] = {{"--celsius", "--degrees", "Here it is --degrees."},
                                      {"--grams", "--weight", "Here it is --weight."},
                                      {"--recipe", "", "The dough comes after the verb."}};

Program bakery(Baked& baked) {
  const auto add = [&baked](const Command& verb, const Words&) -> Run {
    verb.add_option("dough", baked.dough, "What is baked").required().type_name("DOUGH");
    verb.add_option("more", baked.more, "More of it").type_name("MORE...");
    verb.add_option("-d,--degrees", baked.degrees, "Of the oven").group("Heat").default_of_target();
    verb.add_option("--minutes", baked.minutes, "How long").whole_number(1, 600).group("Heat");
    verb.add_option("--with", baked.toppings, "A topping").one_value_each();
    verb.add_option("--shape", baked.shape, "Of the loaf").one_of({"round", "long"}).last_one_counts();
    verb.add_truth(
        "--fan", [&baked](const std::string& word) { baked.words["fan"] = word; }, "Blow");
    verb.add_flag(
        "--quiet", baked.is_quiet,
        "Print nothing, whatever happens in the oven, unless it burns, in which case there is one line that "
        "says so, and how to put it out");
    return [&baked] {
      baked.was_run = true;
      return 7;
    };
  };
  const auto add_slice = [](const Command& verb, const Words& words) -> Run {
    verb.describe("Slice " + std::to_string(words.size()) + " words");
    verb.add_footer("Mind your fingers.");
    return [] { return 0; };
  };
  return {.name = "bakery-deep",
          .starter = "bakery",
          .summary = "Bread.",
          .version = "bakery 1.0",
          .verbs = {{"bake", "Bake dough", add}, {"slice", "Slice a loaf", add_slice}},
          .foreign_options = kForeign};
}

Words split(const std::string& line) {
  std::istringstream stream(line);
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

Baked bake(const std::string& line) {
  Baked baked;
  EXPECT_EQ(run_program(bakery(baked), split("bake " + line)), 7) << line;
  EXPECT_TRUE(baked.was_run);
  return baked;
}

std::string refusal(const std::string& line) {
  Baked baked;
  try {
    run_program(bakery(baked), split(line));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage) << line;
    EXPECT_FALSE(baked.was_run) << line;
    return error.message() + " | " + error.hint();
  }
  return "no error";
}

std::string printed(const std::string& line) {
  Baked baked;
  testing::internal::CaptureStdout();
  EXPECT_EQ(run_program(bakery(baked), split(line)), 0);
  EXPECT_FALSE(baked.was_run);
  return testing::internal::GetCapturedStdout();
}

TEST(Program, ValuesFollowOrAreJoinedByEquals) {
  const Baked baked = bake("rye --degrees 200 wheat --with=a=b --minutes=30 spelt --with c --quiet");
  EXPECT_EQ(baked.dough, "rye");
  EXPECT_EQ(baked.more, (Words{"wheat", "spelt"}));
  EXPECT_EQ(baked.degrees, 200);
  EXPECT_EQ(baked.minutes, 30u);
  EXPECT_EQ(baked.toppings, (Words{"a=b", "c"}));
  EXPECT_TRUE(baked.is_quiet);
}

TEST(Program, NegativeNumbersAreValues) {
  EXPECT_EQ(bake("rye --degrees -5").degrees, -5);
  EXPECT_EQ(bake("rye -5").more, Words{"-5"});
}

TEST(Program, AFlagTakesTrueAndFalse) {
  EXPECT_EQ(bake("--fan rye").words.at("fan"), "true");
  EXPECT_EQ(bake("--fan false rye").words.at("fan"), "false");
  EXPECT_EQ(bake("rye --fan=true").words.at("fan"), "true");
  EXPECT_EQ(bake("rye --fan 0").words.at("fan"), "0");
  EXPECT_FALSE(bake("rye --quiet false").is_quiet);
  EXPECT_TRUE(bake("rye --quiet true").more.empty());
  EXPECT_EQ(refusal("bake rye --fan=maybe"),
            "--fan: 'maybe' was given, but true or false is needed | bakery bake --help shows the usage.");
}

TEST(Program, WordsAfterTwoDashesAreNoOptions) {
  const Baked baked = bake("--degrees 9 -- --degrees --quiet");
  EXPECT_EQ(baked.dough, "--degrees");
  EXPECT_EQ(baked.more, Words{"--quiet"});
}

TEST(Program, AVerbIsAFileNameToo) { EXPECT_EQ(bake("bake slice").more, Words{"slice"}); }

TEST(Program, AnUnknownOptionIsNamedWithTheNearest) {
  EXPECT_EQ(refusal("bake rye --degres 3"),
            "bakery bake has no option '--degres'. | Did you mean '--degrees'?");
  EXPECT_EQ(refusal("bake rye --degres=3"),
            "bakery bake has no option '--degres'. | Did you mean '--degrees'?");
  EXPECT_EQ(refusal("bake --nothing"),
            "bakery bake has no option '--nothing'. | bakery bake --help shows the usage.");
  EXPECT_EQ(refusal("bake rye --celsius 3"),
            "bakery bake has no option '--celsius'. | Here it is --degrees.");
  EXPECT_EQ(refusal("bake rye --grams 3"),
            "bakery bake has no option '--grams'. | bakery bake --help shows the usage.");
  EXPECT_EQ(refusal("bake --recipe rye"),
            "bakery bake has no option '--recipe'. | The dough comes after the verb.");
  EXPECT_EQ(refusal("bake rye -fan"), "found '-fan', which is no option. | Options have two dashes: --fan.");
}

TEST(Program, AnOptionNeedsItsValue) {
  const std::string needs = "--degrees needs a value. | It is: of the oven.";
  EXPECT_EQ(refusal("bake rye --degrees"), needs);
  EXPECT_EQ(refusal("bake rye --degrees="), needs);
  EXPECT_EQ(refusal("bake --degrees= rye"), needs);
  EXPECT_EQ(refusal("bake rye --degrees --quiet"), needs);
  EXPECT_EQ(refusal("bake rye --degrees --help"), needs);
  EXPECT_EQ(refusal("bake rye -d --quiet"), needs);
}

TEST(Program, AnOptionIsGivenOnce) {
  EXPECT_EQ(refusal("bake rye --degrees 1 --degrees=2"),
            "--degrees is given twice: '1' and '2'. | Give it once.");
  EXPECT_EQ(refusal("bake rye --fan --fan"), "--fan is given twice: 'true' and 'true'. | Give it once.");
  EXPECT_EQ(bake("rye --shape round --shape long").shape, "long");
}

TEST(Program, AValueMustFit) {
  EXPECT_NE(refusal("bake rye --minutes 601").find("--minutes: '601' was given, but"), std::string::npos);
  EXPECT_NE(refusal("bake rye --degrees hot").find("--degrees"), std::string::npos);
  EXPECT_NE(refusal("bake rye --shape square").find("--shape"), std::string::npos);
}

TEST(Program, ArgumentsAreNeitherTooFewNorTooMany) {
  EXPECT_EQ(refusal("bake"), "bakery bake needs DOUGH: what is baked. | bakery bake --help shows the usage.");
  EXPECT_EQ(refusal("slice loaf"),
            "bakery slice: 'loaf' is one argument too many. | bakery slice --help shows the usage.");
  EXPECT_EQ(refusal("slice thick=3"),
            "bakery slice: 'thick=3' is one argument too many. | Options have two dashes: --thick=3.");
}

TEST(Program, VerbsAreNamedWithTheNearest) {
  EXPECT_EQ(refusal("bale rye"), "there is no verb 'bale'. | Did you mean 'bake'?");
  EXPECT_EQ(refusal("dig"), "there is no verb 'dig'. | bakery-deep --help lists them.");
  EXPECT_EQ(refusal("--bake"), "bakery-deep has no option '--bake'. | bakery-deep --help lists them.");
}

TEST(Program, HelpHasAllOptionsInTheirGroupsBrokenAtSpaces) {
  const std::string help = printed("bake --help");
  EXPECT_EQ(help, printed("bake rye -h"));
  EXPECT_NE(help.find("Bake dough\nUsage: bakery bake [OPTIONS] DOUGH [MORE...]\n"), std::string::npos)
      << help;
  EXPECT_NE(help.find("\n  DOUGH                       What is baked\n"), std::string::npos) << help;
  EXPECT_NE(help.find("\nHeat:\n  -d,--degrees FLOAT=180      Of the oven\n"), std::string::npos) << help;
  EXPECT_NE(help.find("\n  --fan                       Blow\n"), std::string::npos) << help;
  EXPECT_EQ(help.find("\n\n\n"), std::string::npos) << help;
  std::istringstream lines(help);
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  EXPECT_GT(longest, 90u);
  EXPECT_LE(longest, 100u);
}

TEST(Program, HelpMayDependOnTheWordsAfterTheVerb) {
  const std::string help = printed("slice a b --help");
  EXPECT_EQ(help.find("Slice 3 words\n"), 0u) << help;
  EXPECT_NE(help.find("\nMind your fingers.\n"), std::string::npos) << help;
}

TEST(Program, TheOverviewListsTheVerbs) {
  const std::string overview = printed("--help");
  EXPECT_EQ(overview, printed("-h"));
  EXPECT_EQ(overview.find("Bread.\nUsage: bakery-deep [OPTIONS] [VERB]\n"), 0u) << overview;
  EXPECT_NE(overview.find("\nVerbs:\n  bake                        Bake dough\n"), std::string::npos)
      << overview;
  EXPECT_NE(overview.find("\nbakery VERB --help shows the options of each.\n"), std::string::npos)
      << overview;
  EXPECT_EQ(printed("--version"), "bakery 1.0\n");
}

TEST(Program, NoVerbIsWrongUsage) {
  Baked baked;
  testing::internal::CaptureStderr();
  EXPECT_EQ(run_program(bakery(baked), {}), static_cast<int>(ErrorKind::usage));
  EXPECT_NE(testing::internal::GetCapturedStderr().find("Slice a loaf"), std::string::npos);
}

}  // namespace
}  // namespace kullback::shell
