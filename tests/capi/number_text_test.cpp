// kb_number_text: the text of arrays, and how much room it asks for.
#include <gtest/gtest.h>
#include <kullback.h>

#include <limits>
#include <string>
#include <vector>

namespace {

std::string text_of(const std::vector<double>& numbers, const std::vector<size_t>& dims) {
  std::string text(kb_number_text(numbers.data(), dims.size(), dims.data(), nullptr, 0) + 1, '?');
  const size_t size = kb_number_text(numbers.data(), dims.size(), dims.data(), text.data(), text.size());
  EXPECT_EQ(size + 1, text.size());
  EXPECT_EQ(text.back(), '\0');
  text.pop_back();
  return text;
}

TEST(NumberText, FewestDigits) {
  EXPECT_EQ(text_of({0.1}, {}), "0.1");
  EXPECT_EQ(text_of({3}, {}), "3");
  EXPECT_EQ(text_of({0, -0.0, 1e23, 5e-324}, {4}), "[0,-0.0,1e+23,5e-324]");
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(text_of({kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN()}, {3}),
            "[Infinity,-Infinity,NaN]");
}

TEST(NumberText, Shapes) {
  EXPECT_EQ(text_of({1, 2, 3, 4, 5, 6}, {2, 3}), "[[1,2,3],[4,5,6]]");
  EXPECT_EQ(text_of({1, 2}, {2, 1, 1}), "[[[1]],[[2]]]");
  EXPECT_EQ(text_of({}, {0}), "[]");
  EXPECT_EQ(text_of({}, {2, 0}), "[[],[]]");
}

TEST(NumberText, WritesNoFurtherThanItMay) {
  std::string text = "????????";
  const double numbers[] = {1.25, 2.5};
  const size_t dims[] = {2};
  EXPECT_EQ(kb_number_text(numbers, 1, dims, text.data(), 3), 10U);
  EXPECT_EQ(text.substr(3), "?????");
}

}  // namespace
