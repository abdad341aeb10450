#include "deep/part.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/json_value.hpp"

namespace kullback::deep {
namespace {

enum class Crust { thin, thick };
constexpr auto kCrust = ChoiceOption("crust", Crust::thin, "thin|thick", "Of the loaf");
constexpr auto kBakingTime = NumberOption("baking_time", 40, "In minutes").above(0);
constexpr auto kSeeds = CountOption("seeds", "On top");
constexpr auto kRye = FlagOption("rye", false, "Rye in place of wheat");
constexpr const OptionRecord* kOptions[] = {&kCrust, &kBakingTime, &kSeeds, &kRye};

struct LoafRecord {
  OptionTable options;
};
const LoafRecord& loaf_named(const std::string&) {
  static const LoafRecord kLoaf{kOptions};
  return kLoaf;
}

Part read(const std::string& json) {
  const JsonValue value = parse_json(json, "loaf.json");
  return read_part(JsonFields(value, "loaf.json"), "loaf", loaf_named);
}

std::string message_of(const std::string& json) {
  try {
    read(json);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.message();
  }
  return "no error";
}

TEST(Part, IsReadAsItWasWritten) {
  Part part{.name = "tin"};
  part.options.set(kCrust, Crust::thick);
  part.options.set(kBakingTime, 1.0 / 3);
  part.options.set(kRye, true);
  const std::string json = json_part(part, kOptions);
  EXPECT_EQ(
      json,
      "{\"name\": \"tin\", \"options\": {\"baking_time\": \"0.3333333333333333\", \"crust\": \"thick\", "
      "\"rye\": \"1\"}}");
  const Part found = read("{\"loaf\": " + json + "}");
  EXPECT_EQ(found.name, "tin");
  EXPECT_EQ(found.options[kCrust], Crust::thick);
  EXPECT_EQ(found.options[kBakingTime], 1.0 / 3);
  EXPECT_TRUE(found.options[kRye]);
  EXPECT_FALSE(found.options.given(kSeeds));
}

// Names had dashes, flags were words, and what was not given was empty.
TEST(Part, OfOlderVersionsIsRead) {
  const Part found = read(
      "{\"loaf\": {\"name\": \"tin\", \"options\": {\"baking-time\": \"12\", \"rye\": \"true\", \"seeds\": "
      "\"\"}}}");
  EXPECT_EQ(found.options[kBakingTime], 12);
  EXPECT_TRUE(found.options[kRye]);
  EXPECT_FALSE(found.options.given(kSeeds));
}

TEST(Part, WithWhatIsNotKnownIsRefused) {
  EXPECT_NE(message_of("{\"loaf\": {\"name\": \"tin\", \"options\": {\"glaze\": \"1\"}}}")
                .find("loaf.json: 'options' must be options that this version knows (--glaze is not"),
            std::string::npos);
  EXPECT_NE(message_of("{\"loaf\": {\"name\": \"tin\", \"options\": {\"baking-time\": \"-1\"}}}")
                .find("--baking-time is -1; it must be above 0"),
            std::string::npos);
}

TEST(Choice, IsReadByItsText) {
  const JsonValue value = parse_json("{\"crust\": \"thick\"}", "loaf.json");
  EXPECT_EQ(read_choice(JsonFields(value, "loaf.json"), kCrust), Crust::thick);
  EXPECT_EQ(text_of(kCrust, Crust::thick), "thick");
  EXPECT_EQ(choice_of(kCrust, "thin"), Crust::thin);
  const JsonValue other = parse_json("{\"crust\": \"none\"}", "loaf.json");
  EXPECT_THROW(read_choice(JsonFields(other, "loaf.json"), kCrust), Error);
}

}  // namespace
}  // namespace kullback::deep
