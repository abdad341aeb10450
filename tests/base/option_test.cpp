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
constexpr auto kSeed = CountOption("seed", "Seed");
constexpr auto kMemory = SizeOption("memory", "Bytes");
constexpr auto kFolder = TextOption("out", "Folder").shown_as("DIR");
constexpr auto kFiles = ListOption("include_path", "Folders").shown_as("DIR");
constexpr const OptionRecord* kOptional[] = {&kSeed, &kMemory, &kFolder, &kFiles};
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

TEST(Option, OptionalOnesAreGivenOrNot) {
  const OptionValues none;
  EXPECT_EQ(none.given(kSeed), std::nullopt);
  EXPECT_EQ(none.given(kMemory), std::nullopt);
  EXPECT_FALSE(none.given(kFolder).has_value());
  EXPECT_FALSE(none.given(kFiles).has_value());
  for (const OptionRecord* option : kOptional) EXPECT_EQ(default_text(*option), "") << option->name;
  const OptionValues values = read_options(
      kOptional, {{"seed", "0"}, {"memory", "4GB"}, {"out", "auto"}, {"include_path", "a b\nc\n"}}, "fit");
  EXPECT_EQ(values.given(kSeed), 0U);
  EXPECT_EQ(values.given(kMemory), 4'000'000'000U);
  EXPECT_EQ(values[kFolder], "auto");
  ASSERT_EQ(values[kFiles].size(), 2U);
  EXPECT_EQ(values[kFiles][0], "a b");
  for (const OptionRecord* option : kOptional)
    EXPECT_EQ(read_option(*option, values.text_of(*option)), values.value_of(*option)) << option->name;
  EXPECT_EQ(type_text(kFolder), "DIR");
  EXPECT_EQ(type_text(kMemory), "SIZE");
}

TEST(Option, UnknownNamesAreRefusedWithTheNearest) {
  const auto refused = [](OptionTable table, const char* name) {
    try {
      read_options(table, {{name, "1"}}, "--kind round");
    } catch (const Error& error) {
      return error.message() + " " + error.hint();
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refused(kTable, "sharp"), "--sharp is not an option of --kind round. Did you mean --share?");
  EXPECT_EQ(refused({}, "share"), "--share is not an option of --kind round. It has none.");
  EXPECT_EQ(refused(kOptional, "zzzzzzz"),
            "--zzzzzzz is not an option of --kind round. It has --seed, --memory, --out, --include-path.");
}

TEST(Option, FlagsAreWordsOrDigits) {
  EXPECT_EQ(read_option(kFlag, "false"), OptionValue(false));
  EXPECT_EQ(read_option(kFlag, "true"), read_option(kFlag, "1"));
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
