#include "deep/cli/arguments.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "shell/program.hpp"

namespace kullback::deep::cli {
namespace {

constexpr auto kDegrees = CountOption("degrees", 180, "Of the oven").to(300);
constexpr auto kFan = FlagOption("fan", false, "Blow");
constexpr auto kLight = FlagOption("light", true, "See");
constexpr auto kWith = ListOption("with", "A topping").shown_as("TOPPING");
constexpr auto kFlour = TextOption("flour", "rye", "What it is made of");
constexpr const OptionRecord* kHeat[] = {&kDegrees, &kFan, &kLight};
constexpr const OptionRecord* kToppings[] = {&kWith, &kFlour};

constexpr auto kHours = NumberOption("hours", 12, "That it rests");
constexpr auto kMinutes = NumberOption("minutes", 20, "That it rises");
constexpr const OptionRecord* kSour[] = {&kHours};
constexpr const OptionRecord* kYeast[] = {&kMinutes};
struct Leaven {
  std::string_view name;
  OptionTable options;
};
constexpr Leaven kSourdough = {"sourdough", kSour};
constexpr Leaven kBakersYeast = {"yeast", kYeast};
constexpr const Leaven* kLeavens[] = {&kSourdough, &kBakersYeast};
constexpr auto kLeaven = TextOption("leaven", "", "What makes it rise");

Usage usage() {
  return {.positionals = {{"DOUGH", "What is baked"}, {"MORE", "More of it", true}},
          .groups = {{"Heat", kHeat}, {"Toppings", kToppings}},
          .parts = {{"Leaven", tables_of(std::span<const Leaven* const>(kLeavens))}},
          .choices = {{&kFlour, "rye, wheat"}}};
}

Arguments parsed(const std::vector<std::string>& words) {
  Arguments result;
  const auto add = [&](const shell::Command& verb, const shell::Words&) -> shell::Run {
    return [&result, given = add_usage(verb, usage())] {
      result = *given;
      return 0;
    };
  };
  shell::Words all = {"bake"};
  all.insert(all.end(), words.begin(), words.end());
  const shell::Program bakery{.name = "bakery",
                              .starter = "bakery",
                              .summary = "Bread.",
                              .version = "1",
                              .verbs = {{"bake", "Bake", add}}};
  EXPECT_EQ(run_program(bakery, all), 0);
  return result;
}

std::string message_of(const std::vector<std::string>& words) {
  try {
    parsed(words);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.message() + " " + error.hint();
  }
  return "no error";
}

TEST(Arguments, AreThoseThatWereGiven) {
  const Arguments found =
      parsed({"rye", "--degrees", "200", "wheat", "--fan", "--with=a=b", "spelt", "--with", "c"});
  EXPECT_EQ(found.positionals, (std::vector<std::string>{"rye", "wheat", "spelt"}));
  EXPECT_EQ(found.given, (GivenTexts{{"degrees", "200"}, {"fan", "true"}, {"with", "a=b\nc\n"}}));
  const Given given(found);
  EXPECT_EQ(given.own()[kDegrees], 200U);
  EXPECT_TRUE(given.own()[kFan]);
  EXPECT_TRUE(given.own()[kLight]);
  EXPECT_EQ(given.own()[kWith].size(), 2U);
}

TEST(Arguments, FlagsTakeTrueAndFalse) {
  const Arguments found = parsed({"--light", "false", "rye", "wheat", "--fan=false"});
  EXPECT_EQ(found.given, (GivenTexts{{"light", "false"}, {"fan", "false"}}));
  EXPECT_EQ(found.positionals.size(), 2u);
}

TEST(Arguments, SayWhatIsWrong) {
  EXPECT_NE(message_of({"rye", "wheat", "--degres", "3"}).find("Did you mean '--degrees'?"),
            std::string::npos);
  EXPECT_NE(message_of({"rye", "wheat", "--degrees"}).find("--degrees needs a value"), std::string::npos);
  EXPECT_NE(message_of({"rye", "wheat", "--with="}).find("--with needs a value"), std::string::npos);
  EXPECT_NE(message_of({}).find("needs DOUGH: what is baked"), std::string::npos);
  EXPECT_NE(message_of({"rye"}).find("needs MORE: more of it"), std::string::npos);
}

// Options of parts go to the part that is chosen, to any that has them where the data choose it, and to none
// else.
TEST(Given, SplitsWhatWasGiven) {
  const std::span<const Leaven* const> leavens(kLeavens);
  const Arguments found = parsed({"rye", "wheat", "--hours", "9", "--degrees", "1"});
  Given given(found);
  EXPECT_EQ(given.of(kLeaven, kSourdough, leavens)[kHours], 9);
  given.check();
  Given automatic(found);
  EXPECT_EQ(automatic.texts(kLeaven, "auto", leavens), (GivenTexts{{"hours", "9"}}));
  automatic.check();
  Given other(found);
  EXPECT_EQ(other.of(kLeaven, kBakersYeast, leavens)[kMinutes], 20);
  try {
    other.check();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "--hours is not an option of --leaven yeast.");
  }
}

TEST(Arguments, HelpNamesEveryOption) {
  testing::internal::CaptureStdout();
  parsed({"--help"});
  const std::string help = testing::internal::GetCapturedStdout();
  EXPECT_NE(help.find("Usage: bakery bake [OPTIONS] DOUGH MORE...\n"), std::string::npos) << help;
  EXPECT_NE(help.find("\nHeat:\n  --degrees COUNT=180         Of the oven\n"), std::string::npos) << help;
  EXPECT_NE(help.find("\n  --light                     See [true]\n"), std::string::npos) << help;
  EXPECT_NE(help.find("What it is made of (rye, wheat)\n"), std::string::npos) << help;
  EXPECT_NE(help.find("That it rests (sourdough)\n"), std::string::npos) << help;
  EXPECT_NE(help.find("\nToppings:\n  --with TOPPING"), std::string::npos) << help;
}

}  // namespace
}  // namespace kullback::deep::cli
