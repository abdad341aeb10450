#include "base/text_kind.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kullback {
namespace {

struct Case {
  std::string text;
  std::string name;
};

TEST(TextKind, IsSeenInTheBeginning) {
  const std::vector<Case> cases = {
      {"", "empty"},
      {" \n\t", "empty"},
      {"{\"N\": 3}", "JSON"},
      {"\n[1, 2]", "JSON"},
      {"data { int N; }", "a Stan program"},
      {"// a comment\n/* and\nanother */ transformed data{}", "a Stan program"},
      {"generated quantities { }", "a Stan program"},
      {"#include /pre/license.stan\ndata {}", "a Stan program"},
      {"N <- 3\n", "data (an R dump)"},
      {"# made by R\n\"y\" <-\nc(1, 2)", "data (an R dump)"},
      {"data <- 3", "data (an R dump)"},
      {"x,y\n1,2\n", "a table (CSV)"},
      {"# lp__, mu\na\tb\n1\t2\n", "a table (CSV)"},
      {"1;2\n3;4", "a table (CSV)"},
      {"x\n1\n2\n", ""},
      {"real x; x ~ normal(0, 1);", ""},
      {"\x93NUMPY\x01", "a NumPy array"},
      {"\x1f\x8b\x08", "compressed (gzip)"},
      {"\177ELF\x02", "a compiled library"},
      {std::string("ab\0c", 4), "binary"},
  };
  for (const Case& one : cases) EXPECT_EQ(text_kind_name(one.text), one.name) << one.text;
}

}  // namespace
}  // namespace kullback
