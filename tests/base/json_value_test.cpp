#include "base/json_value.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/random.hpp"

namespace kullback {
namespace {

JsonValue parse(std::string_view text) { return parse_json(text, "f.json"); }

std::string error_of(std::string_view text) {
  try {
    parse_json(text, "f.json", "Fit again.");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    EXPECT_EQ(error.hint(), "Fit again.");
    const std::string head = "f.json: is no JSON: ";
    EXPECT_TRUE(error.message().starts_with(head)) << error.message();
    return error.message().substr(head.size());
  }
  return "no error";
}

std::string string_of(std::string_view text) {
  const JsonValue value = parse(text);
  return value.string() ? *value.string() : "no string";
}

double number_of(std::string_view text) {
  const JsonValue value = parse(text);
  return value.number() ? value.number()->value : std::numeric_limits<double>::quiet_NaN();
}

TEST(JsonValue, KindsAndOrder) {
  const JsonValue root =
      parse(" {\"z\": [1, true, false, null, \"x\", {}, []], \"a\": {\"b\": -2.5e1}}\r\n\t");
  ASSERT_NE(root.object(), nullptr);
  EXPECT_EQ(root.object()->at(0).name, "z");
  EXPECT_EQ(root.object()->at(1).name, "a");
  const JsonValue::Array& items = *root.find("z")->array();
  ASSERT_EQ(items.size(), 7u);
  EXPECT_EQ(items[0].number()->value, 1);
  EXPECT_TRUE(*items[1].boolean());
  EXPECT_FALSE(*items[2].boolean());
  EXPECT_TRUE(items[3].is_null());
  EXPECT_EQ(*items[4].string(), "x");
  EXPECT_TRUE(items[5].object()->empty());
  EXPECT_TRUE(items[6].array()->empty());
  EXPECT_EQ(root.find("a")->find("b")->number()->value, -25);
  EXPECT_EQ(root.find("q"), nullptr);
  EXPECT_EQ(items[0].find("z"), nullptr);
  for (const JsonValue& item : items) {
    const int kinds = item.is_null() + (item.boolean() != nullptr) + (item.number() != nullptr) +
                      (item.string() != nullptr) + (item.array() != nullptr) + (item.object() != nullptr);
    EXPECT_EQ(kinds, 1);
  }
}

TEST(JsonValue, CountsAreExact) {
  EXPECT_EQ(*parse("18446744073709551615").number()->count, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(*parse("9007199254740993").number()->count, 9007199254740993u);
  EXPECT_EQ(*parse("0").number()->count, 0u);
  for (const char* text : {"-1", "1.0", "1e3", "18446744073709551616", "-0"})
    EXPECT_FALSE(parse(text).number()->count.has_value()) << text;
}

TEST(JsonValue, NumbersAtTheEdges) {
  EXPECT_EQ(number_of("18446744073709551616"), 0x1p64);
  EXPECT_EQ(number_of("1.7976931348623157e308"), std::numeric_limits<double>::max());
  EXPECT_EQ(number_of("5e-324"), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(number_of("1e-400"), 0);
  EXPECT_EQ(number_of("0." + std::string(400, '0') + "1"), 0);
  EXPECT_EQ(number_of("0e999999999999"), 0);
  EXPECT_TRUE(std::signbit(number_of("-0")));
  EXPECT_EQ(number_of("1E+2"), 100);
  EXPECT_EQ(number_of("1" + std::string(300, '0')), 1e300);
  EXPECT_EQ(error_of("[1e400]"), "line 1, column 2: the number is too large.");
  EXPECT_EQ(error_of("-1e999999999999999999999"), "line 1, column 1: the number is too large.");
  EXPECT_EQ(error_of(std::string(400, '9')), "line 1, column 1: the number is too large.");
}

TEST(JsonValue, WhatIsNoNumber) {
  EXPECT_EQ(error_of("01"), "line 1, column 1: a number begins with a zero too many.");
  EXPECT_EQ(error_of("-00"), "line 1, column 1: a number begins with a zero too many.");
  EXPECT_EQ(error_of("-"), "line 1, column 2: found the end of the text, but a digit is needed.");
  EXPECT_EQ(error_of("1."), "line 1, column 3: found the end of the text, but a digit is needed.");
  EXPECT_EQ(error_of("[1.e5]"), "line 1, column 4: found 'e', but a digit is needed.");
  EXPECT_EQ(error_of("1e+"), "line 1, column 4: found the end of the text, but a digit is needed.");
  EXPECT_EQ(error_of(".5"), "line 1, column 1: found '.', but a value is needed.");
  EXPECT_EQ(error_of("+1"), "line 1, column 1: found '+', but a value is needed.");
  EXPECT_EQ(error_of("0x10"), "line 1, column 2: found 'x' after the end.");
  EXPECT_EQ(error_of("[NaN]"), "line 1, column 2: found 'NaN', but a value is needed.");
  EXPECT_EQ(error_of("-Infinity"), "line 1, column 2: found 'Infinity', but a digit is needed.");
  EXPECT_EQ(error_of("nullx"), "line 1, column 1: found 'nullx', but a value is needed.");
  EXPECT_EQ(error_of("True"), "line 1, column 1: found 'True', but a value is needed.");
}

TEST(JsonValue, Strings) {
  EXPECT_EQ(string_of(R"("a\"\\\/\b\f\n\r\tz")"), "a\"\\/\b\f\n\r\tz");
  EXPECT_EQ(string_of(R"("\u0041\u00e9\u20AC\uD83D\ude00")"), "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
  EXPECT_EQ(string_of(R"("\udbff\udfff\ud800\udc00")"), "\xF4\x8F\xBF\xBF\xF0\x90\x80\x80");
  EXPECT_EQ(string_of(R"("\u0000")"), std::string(1, '\0'));
  EXPECT_EQ(string_of("\"\x7F caf\xC3\xA9\""), "\x7F caf\xC3\xA9");
  EXPECT_EQ(parse("{\"\\u0061\": 1}").object()->at(0).name, "a");
}

TEST(JsonValue, WhatIsNoString) {
  EXPECT_EQ(error_of("[\"abc"), "line 1, column 2: the string that begins here is not closed.");
  EXPECT_EQ(error_of("\"abc\\"), "line 1, column 5: there is no such escape sequence.");
  EXPECT_EQ(error_of("\"\\x41\""), "line 1, column 2: there is no such escape sequence.");
  EXPECT_EQ(error_of("\"\\'\""), "line 1, column 2: there is no such escape sequence.");
  for (const char* text : {R"("\u12")", R"("\u12G4")", R"("\u-123")", R"("\u 123")", R"("\u+123")", R"("\u)"})
    EXPECT_EQ(error_of(text), "line 1, column 2: four hexadecimal digits are needed after \\u.") << text;
  for (const char* text :
       {R"("\ud800")", R"("\udc00")", R"("\ud800\u0041")", R"("\ud800\ud800")", R"("\ud800x")"})
    EXPECT_EQ(error_of(text), "line 1, column 2: half of a pair of surrogates stands alone.") << text;
  EXPECT_EQ(error_of("\"a\nb\""), "line 1, column 3: found byte 10 in a string; it must be escaped.");
  EXPECT_EQ(error_of(std::string_view("\"a\0b\"", 5)),
            "line 1, column 3: found byte 0 in a string; it must be escaped.");
  for (const char* bytes : {"\xFF", "\xC3", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\x80"})
    EXPECT_EQ(error_of("\"" + std::string(bytes) + "\""),
              "line 1, column 1: the string that begins here is not UTF-8.");
}

TEST(JsonValue, PlaceIsLineAndColumn) {
  EXPECT_EQ(error_of("{\n  \"caf\xC3\xA9\": 1,\n  \"caf\xC3\xA9\" 2}"),
            "line 3, column 10: found '2', but ':' is needed.");
  EXPECT_EQ(error_of(""), "line 1, column 1: found the end of the text, but a value is needed.");
  EXPECT_EQ(error_of(" \n\n "), "line 3, column 2: found the end of the text, but a value is needed.");
}

TEST(JsonValue, BrokenStructure) {
  EXPECT_EQ(error_of("[1 2]"), "line 1, column 4: found '2', but ',' or ']' is needed.");
  EXPECT_EQ(error_of("[1,]"), "line 1, column 4: found ']', but a value is needed.");
  EXPECT_EQ(error_of("[,1]"), "line 1, column 2: found ',', but a value is needed.");
  EXPECT_EQ(error_of("{\"a\": 1,}"), "line 1, column 9: found '}', but a key in quotes is needed.");
  EXPECT_EQ(error_of("{a: 1}"), "line 1, column 2: found 'a', but a key in quotes is needed.");
  EXPECT_EQ(error_of("{\"a\": 1]"), "line 1, column 8: found ']', but ',' or '}' is needed.");
  EXPECT_EQ(error_of("{\"a\": "), "line 1, column 7: found the end of the text, but a value is needed.");
  EXPECT_EQ(error_of("{\"a\": 1} {}"), "line 1, column 10: found '{' after the end.");
  EXPECT_EQ(error_of("[1] // one"), "line 1, column 5: found '/' after the end.");
  EXPECT_EQ(error_of(std::string_view("[1]\0", 4)), "line 1, column 4: found byte 0 after the end.");
  EXPECT_EQ(error_of("{\"a\": 1, \"b\": 2, \"\\u0061\": 3}"),
            "line 1, column 18: the key 'a' comes a second time.");
}

TEST(JsonValue, NestingIsLimited) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_NE(parse(nested(200)).array(), nullptr);
  EXPECT_EQ(error_of(nested(201)), "line 1, column 201: arrays and objects are nested more than 200 deep.");
  EXPECT_EQ(error_of(std::string(10'000'000, '[')),
            "line 1, column 201: arrays and objects are nested more than 200 deep.");
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_EQ(error_of(objects), "line 1, column 1001: arrays and objects are nested more than 200 deep.");
}

TEST(JsonValue, ManyMembersTakeLittleTime) {
  std::string text = "{";
  for (int i = 0; i < 200'000; ++i)
    text += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":" + std::to_string(i);
  EXPECT_EQ(parse(text + "}").object()->size(), 200'000u);
}

TEST(JsonValue, CutOffAndDamagedTextsAreReadOrRefused) {
  const std::string whole =
      R"({"kind": "a\u00e9\ud83d\ude00", "n": [1, -2.5e-3, 0, true, null], "o": {"p": "\n"}})";
  parse(whole);
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(error_of(whole.substr(0, size)), "no error") << size;
  Random random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::string text = whole;
    for (std::uint64_t changes = 1 + random.below(3); changes > 0; --changes)
      text[random.below(text.size())] = static_cast<char>(random.below(256));
    error_of(text);
  }
}

TEST(JsonValue, ReadsWhatJsonStringWrites) {
  std::string all;
  for (int c = 0; c < 128; ++c) all += static_cast<char>(c);
  all += "\xC3\xA9\xF0\x9F\x98\x80";
  EXPECT_EQ(string_of(json_string(all)), all);
}

TEST(JsonValue, ByteOrderMarkIsPassedOver) { EXPECT_EQ(number_of("\xEF\xBB\xBF 7"), 7); }

}  // namespace
}  // namespace kullback
