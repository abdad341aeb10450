// Options as records: values by type, their texts, and what a value that is none is told.
#include "base/option.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.hpp"

namespace kullback {
namespace {

enum class Shape : unsigned char { round, square };

constexpr auto kCount = CountOption("warm_up", 10, "Iterations").from(1);
constexpr auto kShare = NumberOption("share", 0.5, "Share").above(0).below(1).hinted("0.5 is usual.");
constexpr auto kRate = NumberOption("rate", 0, "Rate").above(0).automatic();
constexpr auto kDraws = CountOption("draws", 0, "Draws").automatic();
constexpr auto kLevels = CountOption("levels", 3, "Levels").from(2).to(9);
constexpr auto kPower = NumberOption("power", 1, "Power").above(0).to(1);
constexpr auto kFlag = FlagOption("again", true, "Once more");
constexpr auto kShape = ChoiceOption<Shape>("shape", Shape::square, "round|square", "Shape");
constexpr auto kName = TextOption("family", "", "Family");
constexpr const OptionRecord* kTable[] = {&kCount, &kShare, &kRate,  &kDraws, &kLevels,
                                          &kPower, &kFlag,  &kShape, &kName};

std::string refusal(const OptionRecord& option, const std::string& text) {
  try {
    read_option(option, text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.message() + (error.hint().empty() ? "" : " " + error.hint());
  }
  return "accepted";
}

TEST(Option, ReadsAsItsTypeSays) {
  OptionValues values;
  EXPECT_EQ(values[kCount], 10U);
  EXPECT_EQ(values[kShare], 0.5);
  EXPECT_EQ(values[kFlag], true);
  EXPECT_EQ(values[kShape], Shape::square);
  EXPECT_EQ(values[kName], "");
  values.set(kShape, Shape::round);
  values.set(kName, "flow");
  values.set(kFlag, false);
  EXPECT_EQ(values[kShape], Shape::round);
  EXPECT_EQ(values[kName], "flow");
  EXPECT_EQ(values[kFlag], false);
  EXPECT_TRUE(values.is_given(kShape));
  EXPECT_FALSE(values.is_given(kCount));
  values.set(kCount, 10);
  EXPECT_TRUE(values.is_given(kCount) && values.is_default(kCount));
}

// Every text that a record writes is read back as the same value.
TEST(Option, TextsAndValuesAreTheSame) {
  for (const OptionRecord* option : kTable)
    EXPECT_EQ(read_option(*option, default_text(*option)), default_value(*option)) << option->name;
  EXPECT_EQ(default_text(kRate), "auto");
  EXPECT_EQ(default_text(kName), "auto");
  EXPECT_EQ(default_text(kShape), "square");
  for (const double number : {0.1, 1.0 / 3, 1e-300}) {
    const std::string text = value_text(kRate, number);
    EXPECT_EQ(std::get<double>(read_option(kRate, text)), number) << text;
  }
  EXPECT_EQ(flag_of("warm_up"), "--warm-up");
  EXPECT_EQ(find_option(kTable, "levels"), &kLevels);
  EXPECT_EQ(find_option(kTable, "level"), nullptr);
}

TEST(Option, RefusalsSayWhatIsNeeded) {
  EXPECT_EQ(refusal(kCount, "0"), "--warm-up is 0; it must be 1 or more. 10 is the default.");
  EXPECT_EQ(refusal(kCount, "-1"), "--warm-up: found '-1', but a value must be a whole number from 0.");
  EXPECT_EQ(refusal(kCount, "3x"), "--warm-up: found '3x', but a value must be a whole number from 0.");
  EXPECT_EQ(refusal(kShare, "1"), "--share is 1; it must be between 0 and 1. 0.5 is usual.");
  EXPECT_EQ(refusal(kShare, "inf"), "--share: found 'inf', but a value must be a finite number.");
  EXPECT_EQ(refusal(kRate, "-2"),
            "--rate is -2; it must be auto or above 0. Leave it out: it is then chosen automatically.");
  EXPECT_EQ(refusal(kRate, "often"), "--rate: found 'often', but a value must be auto or a finite number.");
  EXPECT_EQ(refusal(kRate, "auto"), "accepted");
  EXPECT_EQ(refusal(kLevels, "10"), "--levels is 10; it must be from 2 to 9. 3 is the default.");
  EXPECT_EQ(refusal(kPower, "0"), "--power is 0; it must be above 0 and at most 1. 1 is the default.");
  EXPECT_EQ(refusal(kFlag, "yes"), "--again: found 'yes', but a value must be 0 or 1.");
  EXPECT_EQ(refusal(kShape, "sqare"),
            "--shape: found 'sqare', but a value must be round or square. Did you mean 'square'?");
  OptionValues values;
  constexpr auto kFree = NumberOption("free", 0.5, "Any number");
  EXPECT_THROW(values.set(kFree, std::nan("")), Error);
  EXPECT_THROW(values.set(kFree, std::numeric_limits<double>::infinity()), Error);
  EXPECT_THROW(values.set(kLevels, 1), Error);
  EXPECT_EQ(values[kLevels], 3U);
}

}  // namespace
}  // namespace kullback
