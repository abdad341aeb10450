#include "base/advice.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace kullback {
namespace {

TEST(Advice, OfATerminalHasNoMarks) {
  EXPECT_EQ(for_terminal("Fit with `--method nuts --draws 10`, or run `kullback diagnose x`; not `y`."),
            "Fit with --method nuts --draws 10, or run kullback diagnose x; not `y`.");
  EXPECT_EQ(for_terminal("`--open"), "--open");
  EXPECT_EQ(for_terminal(""), "");
}

TEST(Advice, OfPythonKeepsThem) {
  ::setenv("KULLBACK_CLIENT", "python", 1);
  EXPECT_EQ(for_terminal("`--method nuts`"), "`--method nuts`");
  ::unsetenv("KULLBACK_CLIENT");
}

}  // namespace
}  // namespace kullback
