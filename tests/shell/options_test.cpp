// Options of several parts: each once, with those that have it and the defaults that differ.
#include "shell/options.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace kullback::shell
