// What a loop says again is recorded once, and what is recorded is what the loop said.
#include "tape/record/recent_operations.hpp"

#include <array>
#include <map>

#include "base/random.hpp"
#include "tests/model/loaded_model.hpp"

namespace kullback::model {
namespace {

using namespace program_test;
using tape::Id;
using tape::RecentOperations;

TEST(RecentOperations, FindsByFunctionAndOperandsInOrder) {
  const math::Elementwise& add = *math::find_elementwise("add");
  const math::Elementwise& log = *math::find_elementwise("log");
  RecentOperations recent;
  const std::array<Id, 2> both{3, 7};
  EXPECT_EQ(recent.find(add, both), RecentOperations::kNone);
  recent.add(add, both, 9);
  EXPECT_EQ(recent.find(add, both), 9U);
  EXPECT_EQ(recent.find(add, std::array<Id, 2>{7, 3}), RecentOperations::kNone);
  EXPECT_EQ(recent.find(add, std::array<Id, 1>{3}), RecentOperations::kNone);
  EXPECT_EQ(recent.find(log, both), RecentOperations::kNone);
  recent.clear();
  EXPECT_EQ(recent.find(add, both), RecentOperations::kNone);
}

// However many there are, an answer is right or absent; while they are few, hardly any is absent.
TEST(RecentOperations, ForgetsButNeverErrs) {
  const std::array functions{math::find_elementwise("add"), math::find_elementwise("multiply")};
  for (const std::size_t count : {200U, 300'000U}) {
    RecentOperations recent;
    std::map<std::pair<std::size_t, std::array<Id, 2>>, Id> all;
    Random random(1);
    std::size_t found = 0;
    for (std::size_t n = 0; n < count; ++n) {
      const std::size_t f = random.below(2);
      const std::array<Id, 2> operands{static_cast<Id>(random.below(count)),
                                       static_cast<Id>(random.below(5)) | tape::kConstantBit};
      recent.add(*functions[f], operands, static_cast<Id>(n));
      all[{f, operands}] = static_cast<Id>(n);
    }
    for (const auto& [operation, result] : all) {
      const Id known = recent.find(*functions[operation.first], operation.second);
      if (known == RecentOperations::kNone) continue;
      ASSERT_EQ(known, result);
      ++found;
    }
    EXPECT_GT(found, count == 200U ? 100U : 1000U);
  }
}

std::size_t recorded(const Loaded& loaded, const std::vector<double>& theta) {
  tape::Builder builder;
  EXPECT_TRUE(loaded.model->trace(theta.data(), builder));
  return builder.instructions().size();
}

TEST(RecentOperations, ALoopRecordsARepeatedExpressionOnce) {
  const auto loaded = load(
      "data { int N; array[N] int g; vector[N] y; } parameters { vector[2] x; }"
      " model { for (n in 1:N) target += square(x[g[n]]) * y[n]; }",
      R"({"N": 6, "g": [1, 2, 1, 1, 2, 2], "y": [1, -2, 3, 0.5, 4, 5]})");
  const std::vector<double> theta{0.5, -1.5};
  EXPECT_EQ(recorded(*loaded, theta), 2U + 6U);  // squares, products
  const Point at = evaluate(*loaded->model, theta);
  EXPECT_DOUBLE_EQ(at.log_density, 0.25 * 4.5 + 2.25 * 7);
  EXPECT_DOUBLE_EQ(at.gradient[0], 2 * 0.5 * 4.5);
  EXPECT_DOUBLE_EQ(at.gradient[1], 2 * -1.5 * 7);
}

// The loop's own number changes in place, what was copied from it does not.
TEST(Loops, CopiesOfTheirVariableKeepTheirNumber) {
  const auto loaded = load(
      "functions { int twice(int i) { int s = 0; for (k in 1:2) s += i; return s; } }"
      " parameters { real x; } model { int second = 0; array[3] int all;"
      " for (i in 1:3) { int j = i; all[i] = i; for (k in 1:2) all[i] += 10 * k * j;"
      "   if (i == 2) second = j; }"
      " for (i in 1:3) target += x * (all[i] + twice(i)); target += 1000 * second * x; }");
  const double sum = (1 + 30) + (2 + 60) + (3 + 90) + 2 + 4 + 6;
  EXPECT_DOUBLE_EQ(evaluate(*loaded->model, {1.0}).log_density, sum + 2000);
}

}  // namespace
}  // namespace kullback::model
