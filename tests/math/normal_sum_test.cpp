// Sums of normal densities by loops of their own, against the density of one element: every kind of argument,
// lengths that fill tiles and leave rests, and arguments for which only their own lane may fail.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "math/distribution.hpp"

namespace kullback::math {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

enum class Kind { broadcast, contiguous, gathered, constant, spread };

// The numbers of one argument for `count` elements.
struct Argument {
  Operand operand;
  std::vector<double> values;
  std::vector<double> adjoints;
  std::vector<std::uint32_t> index;

  Argument(Kind kind, std::size_t count, std::size_t lanes, bool is_scale, std::mt19937& generator) {
    std::uniform_real_distribution<double> uniform(is_scale ? 0.2 : -3.0, 3.0);
    const bool is_constant = kind == Kind::constant || kind == Kind::spread;
    const std::size_t slots = kind == Kind::broadcast ? 1 : count;
    values.resize(slots * (kind == Kind::constant ? 1 : lanes));
    for (double& value : values) value = uniform(generator);
    if (kind == Kind::spread) {
      for (std::size_t p = 0; p < values.size(); ++p) values[p] = values[p / lanes * lanes];
    }
    adjoints.resize(values.size());
    for (std::size_t e = 0; e < count && kind == Kind::gathered; ++e)
      index.push_back(static_cast<std::uint32_t>((e * 7 + 3) % slots));
    operand.value = values.data();
    operand.adjoint = is_constant ? nullptr : adjoints.data();
    operand.index = index.empty() ? nullptr : index.data();
    operand.step = kind == Kind::broadcast ? 0 : 1;
    operand.spread = kind == Kind::spread;
  }
  double at(std::size_t e, std::size_t lane, std::size_t lanes) const {
    return values[operand.has_lanes() ? operand.at(e) * lanes + lane : operand.at(e)];
  }
};

struct Case {
  std::size_t count, lanes;
  Terms terms;
  std::vector<Argument> arguments;
};

Case make_case(std::size_t count, std::size_t lanes, const Kind (&kinds)[3], bool normalized) {
  std::mt19937 generator(static_cast<unsigned>(17 * count + lanes));
  Case result{count, lanes, {normalized, 0}, {}};
  result.arguments.reserve(3);
  for (std::size_t j = 0; j < 3; ++j) {
    result.arguments.emplace_back(kinds[j], count, lanes, j == 2, generator);
    if (result.arguments[j].operand.adjoint != nullptr) result.terms.varying |= 1U << j;
  }
  return result;
}

struct Answer {
  std::vector<double> value;
  std::vector<double> partials[3];
};

Answer summed(const Case& c) {
  Answer answer;
  answer.value.assign(c.lanes, 0.5);
  Operand operands[3];
  double* partials[3] = {};
  for (std::size_t j = 0; j < 3; ++j) {
    operands[j] = c.arguments[j].operand;
    if (operands[j].adjoint == nullptr) continue;
    answer.partials[j].resize((operands[j].is_broadcast() ? 1 : c.count) * c.lanes);
    partials[j] = answer.partials[j].data();
  }
  find_distribution("normal")->log_density.batch(
      {c.count, c.lanes, c.terms, operands, answer.value.data(), partials});
  return answer;
}

void expect_sum_of_elements(const Case& c) {
  const Answer actual = summed(c);
  for (std::size_t lane = 0; lane < c.lanes; ++lane) {
    double value = 0.5;
    double sums[3] = {};
    for (std::size_t e = 0; e < c.count; ++e) {
      double x[3];
      double d[3] = {};
      for (std::size_t j = 0; j < 3; ++j) x[j] = c.arguments[j].at(e, lane, c.lanes);
      value += find_distribution("normal")->log_density.value(x, c.terms, d);
      for (std::size_t j = 0; j < 3; ++j) {
        sums[j] += d[j];
        if (actual.partials[j].size() == c.count * c.lanes && !c.arguments[j].operand.is_broadcast()) {
          EXPECT_NEAR(actual.partials[j][e * c.lanes + lane], d[j], 1e-14 * (1 + std::abs(d[j]))) << j;
        }
      }
    }
    EXPECT_NEAR(actual.value[lane], value, 1e-13 * std::abs(value) + 1e-13) << "lane " << lane;
    for (std::size_t j = 0; j < 3; ++j) {
      if (c.arguments[j].operand.is_broadcast() && !actual.partials[j].empty()) {
        EXPECT_NEAR(actual.partials[j][lane], sums[j], 1e-12 * (1 + std::abs(sums[j]))) << j;
      }
    }
  }
}

TEST(NormalSum, IsTheSumOfElements) {
  constexpr Kind kKinds[] = {Kind::broadcast, Kind::contiguous, Kind::gathered, Kind::constant, Kind::spread};
  for (const std::size_t lanes : {1U, 2U, 4U, 8U}) {
    for (const std::size_t count : {2U, 17U, 32U, 301U}) {
      for (const Kind y : kKinds) {
        for (const Kind mu : kKinds) {
          for (const Kind sigma : kKinds) {
            SCOPED_TRACE(testing::Message()
                         << lanes << " lanes, " << count << " elements, kinds " << static_cast<int>(y)
                         << static_cast<int>(mu) << static_cast<int>(sigma));
            expect_sum_of_elements(make_case(count, lanes, {y, mu, sigma}, count % 2 == 0));
          }
        }
      }
    }
  }
}

// A product of many scales overflows or vanishes unless their exponents are kept apart.
TEST(NormalSum, ScalesOfAnySize) {
  Case c = make_case(300, 4, {Kind::constant, Kind::broadcast, Kind::contiguous}, true);
  for (std::size_t p = 0; p < c.arguments[2].values.size(); ++p)
    c.arguments[2].values[p] = std::ldexp(1.0 + static_cast<double>(p % 5) / 8, p % 3 == 0 ? -40 : 60);
  const Answer actual = summed(c);
  for (std::size_t lane = 0; lane < 4; ++lane) {
    double value = 0.5;
    for (std::size_t e = 0; e < c.count; ++e) {
      double x[3];
      for (std::size_t j = 0; j < 3; ++j) x[j] = c.arguments[j].at(e, lane, 4);
      value += find_distribution("normal")->log_density.value(x, c.terms, nullptr);
    }
    EXPECT_NEAR(actual.value[lane], value, 1e-12 * std::abs(value));
  }
}

TEST(NormalSum, OnlyTheLaneThatFailsFails) {
  struct Bad {
    std::size_t argument;
    double value;
  };
  for (const Bad bad :
       {Bad{2, 0}, Bad{2, -1}, Bad{2, std::nan("")}, Bad{1, kInfinity}, Bad{0, std::nan("")}}) {
    for (const Kind scale : {Kind::contiguous, Kind::broadcast}) {
      Case c = make_case(40, 8, {Kind::contiguous, Kind::contiguous, scale}, true);
      c.arguments[bad.argument].values[5] = bad.value;  // lane 5 of the first element
      const Answer actual = summed(c);
      for (std::size_t lane = 0; lane < 8; ++lane)
        EXPECT_EQ(std::isnan(actual.value[lane]), lane == 5)
            << bad.argument << " " << bad.value << " " << lane;
    }
  }
}

TEST(NormalSum, ScalesThatAreInfiniteOrDenormal) {
  for (const double scale : {kInfinity, 1e-310}) {
    Case c = make_case(40, 4, {Kind::constant, Kind::constant, Kind::contiguous}, true);
    c.arguments[2].values[2] = scale;
    c.arguments[0].values[0] = c.arguments[1].values[0] = 1;
    const Answer actual = summed(c);
    double value = 0.5;
    for (std::size_t e = 0; e < c.count; ++e) {
      const double x[] = {c.arguments[0].at(e, 2, 4), c.arguments[1].at(e, 2, 4), c.arguments[2].at(e, 2, 4)};
      value += find_distribution("normal")->log_density.value(x, c.terms, nullptr);
    }
    if (std::isfinite(value)) {
      EXPECT_NEAR(actual.value[2], value, 1e-12 * std::abs(value));
    } else {
      EXPECT_EQ(std::isnan(actual.value[2]), std::isnan(value));
      if (!std::isnan(value)) {
        EXPECT_EQ(actual.value[2], value);
      }
    }
  }
}

}  // namespace
}  // namespace kullback::math
