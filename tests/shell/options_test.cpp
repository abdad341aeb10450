// Options of several parts: each once, with those that have it and the defaults that differ.
#include "shell/options.hpp"

#include <gtest/gtest.h>

#include "shell/program.hpp"

namespace kullback::shell {
namespace {

constexpr auto kScale = NumberOption("scale", 1, "Scale");
constexpr auto kWideScale = NumberOption("scale", 10, "Scale");
constexpr auto kPower = NumberOption("power", 2, "Power");
constexpr auto kSeed = CountOption("seed", "Seed");
constexpr const OptionRecord* kNormal[] = {&kScale, &kSeed};
constexpr const OptionRecord* kLaplace[] = {&kWideScale, &kPower, &kSeed};

TEST(UnitedOptions, AppearOnceWithWhoseTheyAre) {
  const std::vector<OwnedTable> parts = {{"normal", kNormal}, {"laplace", kLaplace}};
  const std::vector<UnitedOption> all = united(parts);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].record, &kScale);
  EXPECT_EQ(all[0].help, "Scale [1; laplace: 10]");
  EXPECT_EQ(all[0].fallback, "");
  EXPECT_EQ(all[1].help, "Seed");
  EXPECT_EQ(all[1].fallback, "");
  EXPECT_EQ(all[2].help, "Power (laplace)");
  EXPECT_EQ(all[2].fallback, "2");
}

TEST(UnitedOptions, LeaveOutThoseOfTheVerb) {
  constexpr const OptionRecord* kOwn[] = {&kSeed, &kPower};
  const std::vector<OwnedTable> parts = {{"normal", kNormal}, {"laplace", kLaplace}};
  const std::vector<UnitedOption> all = united(parts, kOwn);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].record, &kScale);
}

constexpr auto kFast = FlagOption("fast_start", false, "Start fast");
constexpr auto kFiles = ListOption("file", "A file");
constexpr const OptionRecord* kAll[] = {&kScale, &kSeed, &kFast, &kFiles};

GivenTexts parsed(const Words& words) {
  GivenTexts given;
  std::vector<std::string> names;
  const auto add = [&](const Command& verb, const Words&) -> Run {
    verb.add_option("names", names, "Names");
    add_options(verb, kAll, {}, given);
    return [] { return 0; };
  };
  Words line{"go"};
  line.insert(line.end(), words.begin(), words.end());
  run_program({.name = "p", .starter = "p", .summary = "", .version = "", .verbs = {{"go", "Go", add}}},
              line);
  return given;
}

TEST(TableOptions, AreGivenAsTexts) {
  EXPECT_EQ(parsed({}), GivenTexts{});
  EXPECT_EQ(parsed({"--scale", "2", "--fast-start", "a name", "--seed=3", "--file", "x y", "--file=z"}),
            (GivenTexts{{"scale", "2"}, {"fast_start", "true"}, {"seed", "3"}, {"file", "x y\nz\n"}}));
}

TEST(TableOptions, TheLastOneCounts) {
  EXPECT_EQ(parsed({"--scale", "2", "--scale", "3"}), (GivenTexts{{"scale", "3"}}));
  EXPECT_EQ(parsed({"--fast-start", "--fast-start", "0"}), (GivenTexts{{"fast_start", "0"}}));
  EXPECT_EQ(parsed({"--fast-start=false", "--fast-start"}), (GivenTexts{{"fast_start", "true"}}));
}

}  // namespace
}  // namespace kullback::shell
