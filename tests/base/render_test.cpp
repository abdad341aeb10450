#include "base/render.hpp"

#include <gtest/gtest.h>

#include "base/json.hpp"
#include "base/utf8.hpp"

namespace kullback {
namespace {

TEST(Render, ShowsPlaceFiveLinesCaretAndHint) {
  SourceMap sources;
  const FileId file = sources.add("m.stan", "one\ntwo\nthree\nfour\nfive\nsix\n");
  const Diagnostic d{Severity::error, "some-code", {file, 8, 13}, "Three is wrong.", "Try 3."};
  EXPECT_EQ(render(d, sources),
            "m.stan:3:1: error: Three is wrong. [some-code]\n"
            "   1 | one\n"
            "   2 | two\n"
            "   3 | three\n"
            "     | ^^^^^\n"
            "   4 | four\n"
            "   5 | five\n"
            "  hint: Try 3.\n");
}

TEST(Render, CaretStandsUnderTheCharacterAfterTabsAndAccents) {
  SourceMap sources;
  const FileId file = sources.add("m.stan", "\té = x");
  const Diagnostic d{Severity::warning, "c", {file, 6, 7}, "M."};
  EXPECT_EQ(render(d, sources),
            "m.stan:1:6: warning: M. [c]\n"
            "   1 |  é = x\n"
            "     |      ^\n");
}

TEST(Render, CutsLongLinesAroundTheCaret) {
  SourceMap sources;
  const FileId file = sources.add("m.stan", std::string(1000000, 'x') + "!" + std::string(1000000, 'y'));
  const Diagnostic d{Severity::error, "c", {file, 1000000, 1000001}, "M."};
  const std::string text = render(d, sources);
  EXPECT_LT(text.size(), 500U);
  EXPECT_NE(text.find("x!y"), std::string::npos);
  const std::size_t source_line = text.find("   1 | ");
  const std::size_t caret_line = text.find("     | ");
  EXPECT_EQ(text.find('!') - source_line, text.find('^') - caret_line);
}

TEST(Render, TellsWhereAFileWasIncluded) {
  SourceMap sources;
  const FileId main = sources.add("m.stan", "\n#include f.stan\n");
  const FileId file = sources.add_included("f.stan", "bad", {main, 1, 16});
  EXPECT_NE(render({Severity::error, "c", {file, 0, 3}, "M."}, sources).find("included from m.stan:2:1"),
            std::string::npos);
}

TEST(Render, JsonHasBothEndsOfTheSpan) {
  SourceMap sources;
  const FileId file = sources.add("a\"b.stan", "x\ny");
  EXPECT_EQ(render_json({Severity::hint, "c", {file, 0, 3}, "say \"x\""}, sources),
            "{\"file\": \"a\\\"b.stan\", \"line\": 1, \"column\": 1, \"end_line\": 2, \"end_column\": 2, "
            "\"severity\": \"hint\", \"code\": \"c\", \"message\": \"say \\\"x\\\"\"}");
}

TEST(Json, EscapesControlCharactersAndMendsUtf8) {
  EXPECT_EQ(json_string("a\n\t\x01\\\"µ"), "\"a\\n\\t\\u0001\\\\\\\"µ\"");
  EXPECT_EQ(json_string("\xff"), "\"\xEF\xBF\xBD\"");
}

struct Utf8Case {
  const char* text;
  bool valid;
};

TEST(Utf8, RefusesOverlongFormsSurrogatesAndCutSequences) {
  const Utf8Case cases[] = {
      {"", true},
      {"abc", true},
      {"µ", true},
      {"漢", true},
      {"😀", true},
      {"\x80", false},
      {"\xC0\xAF", false},
      {"\xC2", false},
      {"\xE0\x80\xAF", false},
      {"\xED\xA0\x80", false},
      {"\xF5\x80\x80\x80", false},
      {"\xF4\x90\x80\x80", false},
      {"\xF0\x9F\x98", false},
      {"\xE6\xBC", false},
  };
  for (const Utf8Case& c : cases) {
    EXPECT_EQ(is_valid_utf8(c.text), c.valid) << c.text;
    EXPECT_TRUE(is_valid_utf8(replace_invalid_utf8(c.text))) << c.text;
  }
}

}  // namespace
}  // namespace kullback
