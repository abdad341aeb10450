#include "base/source.hpp"

#include <gtest/gtest.h>

namespace kullback {
namespace {

TEST(SourceMap, CountsLinesWithEveryLineEnd) {
  SourceMap sources;
  const FileId file = sources.add("m.stan", "a\nb\r\nc\rd");
  EXPECT_EQ(sources.line_count(file), 4U);
  EXPECT_EQ(sources.line(file, 2), "b");
  EXPECT_EQ(sources.line(file, 3), "c");
  EXPECT_EQ(sources.line(file, 4), "d");
  EXPECT_EQ(sources.position(file, 5).line, 3U);
}

TEST(SourceMap, ColumnsCountCharactersNotBytes) {
  SourceMap sources;
  const FileId file = sources.add("m.stan", "// µσ x");
  EXPECT_EQ(sources.position(file, 8).column, 7U);
}

TEST(SourceMap, PositionAtTheEndIsOnTheLastLine) {
  SourceMap sources;
  const FileId file = sources.add("m.stan", "a\n");
  EXPECT_EQ(sources.position(file, 2).line, 2U);
  EXPECT_EQ(sources.line(file, 2), "");
}

TEST(SourceMap, RemembersWhereAFileWasIncluded) {
  SourceMap sources;
  const FileId main = sources.add("m.stan", "#include f.stan");
  const FileId included = sources.add_included("f.stan", "x", {main, 0, 15});
  EXPECT_EQ(sources.included_at(main), nullptr);
  ASSERT_NE(sources.included_at(included), nullptr);
  EXPECT_EQ(sources.included_at(included)->file, main);
}

TEST(Span, JoinCoversBoth) {
  EXPECT_EQ(join({0, 5, 7}, {0, 1, 6}), (Span{0, 1, 7}));
  EXPECT_EQ(join({0, 5, 7}, {1, 1, 6}), (Span{0, 5, 7}));
}

}  // namespace
}  // namespace kullback
