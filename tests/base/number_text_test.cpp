// How numbers are written in records and messages: fmt's way, which is Python's repr but for the ".0" of
// whole numbers. Another version of fmt that wrote them otherwise would change every run.json.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

#include "base/random.hpp"

namespace kullback {
namespace {

TEST(NumberText, ShortestWithAnExponentOnlyWhereItIsLong) {
  const auto expect = [](double number, const char* text) {
    EXPECT_EQ(fmt::format("{}", number), text);
    if (number != 0) {
      EXPECT_EQ(fmt::format("{}", -number), std::string("-") + text);
    }
  };
  expect(0, "0");
  expect(1, "1");
  expect(0.1, "0.1");
  expect(100000, "100000");
  expect(123456789, "123456789");
  expect(1e15, "1000000000000000");
  expect(9999999999999998, "9999999999999998");
  expect(9007199254740994, "9007199254740994");
  expect(1e16, "1e+16");
  expect(1.5e16, "1.5e+16");
  expect(1e20, "1e+20");
  expect(1e100, "1e+100");
  expect(0.0001, "0.0001");
  expect(0.00012345, "0.00012345");
  expect(0.00009, "9e-05");
  expect(1e-300, "1e-300");
  expect(5e-324, "5e-324");
  expect(1.7976931348623157e308, "1.7976931348623157e+308");
  expect(1.0 / 3, "0.3333333333333333");
  expect(std::numeric_limits<double>::infinity(), "inf");
  expect(std::numeric_limits<double>::quiet_NaN(), "nan");
  EXPECT_EQ(fmt::format("{}", -0.0), "-0");
}

TEST(NumberText, ReadsBackToTheSameBits) {
  Random random(1);
  for (int i = 0; i < 20'000; ++i) {
    const auto number = std::bit_cast<double>(random.below(std::numeric_limits<std::uint64_t>::max()));
    if (!std::isfinite(number)) continue;
    EXPECT_EQ(std::strtod(fmt::format("{}", number).c_str(), nullptr), number);
  }
}

TEST(NumberText, DigitsAndDecimals) {
  EXPECT_EQ(fmt::format("{:.3g}", 1234.5678), "1.23e+03");
  EXPECT_EQ(fmt::format("{:.3g}", 0.00012345), "0.000123");
  EXPECT_EQ(fmt::format("{:.3g}", 2.0), "2");
  EXPECT_EQ(fmt::format("{:.1f}", 2.25), "2.2");
  EXPECT_EQ(fmt::format("{:.0f}", 1e300).size(), 301u);
  EXPECT_EQ(fmt::format("{:.1f}", -0.04), "-0.0");
  EXPECT_EQ(fmt::format("{:.2e}", 123456.0), "1.23e+05");
}

}  // namespace
}  // namespace kullback
