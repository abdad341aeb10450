// Every method goes on from an archive to the same bits.
#include <gtest/gtest.h>

#include <string>

#include "tests/infer/targets.hpp"

namespace kullback::infer {
namespace {

void step_until(Algorithm& algorithm, std::size_t steps, Draws& draws) {
  for (std::size_t i = 0; i < steps && algorithm.step(draws); ++i) {
  }
}

void expect_same_bits(const Method& method, const Options& options, std::size_t at, std::size_t steps) {
  SCOPED_TRACE(std::string(method.name) + " stopped after " + std::to_string(at));
  Target target = two_modes(3, 1.5, 0.3);
  const auto whole = method.make(target, options, start_at({0.3, -0.2, 0.9}, 7, 2));
  Draws expected;
  step_until(*whole, steps, expected);

  const auto first = method.make(target, options, start_at({0.3, -0.2, 0.9}, 7, 2));
  Draws draws;
  step_until(*first, at, draws);
  Archive written;
  first->archive(written);
  const auto second = method.make(target, options, start_at({0.3, -0.2, 0.9}, 7, 2));
  Archive reading(written.numbers());
  second->archive(reading);
  EXPECT_TRUE(reading.is_complete());
  EXPECT_EQ(first->progress().gradients, second->progress().gradients);
  step_until(*second, steps - at, draws);
  EXPECT_EQ(expected.theta, draws.theta);
  EXPECT_EQ(expected.log_density, draws.log_density);
  EXPECT_EQ(expected.stats, draws.stats);
  EXPECT_EQ(whole->progress().done, second->progress().done);
  EXPECT_EQ(whole->progress().gradients, second->progress().gradients);
  const auto one = whole->adaptation();
  const auto other = second->adaptation();
  ASSERT_EQ(one.has_value(), other.has_value());
  if (one) {
    EXPECT_EQ(one->step_size, other->step_size);
    EXPECT_EQ(one->inv_metric, other->inv_metric);
  }
}

class Resume : public testing::TestWithParam<const char*> {};

TEST_P(Resume, AnywhereToTheSameBits) {
  const Method& method = *find_method(GetParam());
  for (const Metric metric : {Metric::diagonal, Metric::dense}) {
    Options options;
    options.set("warmup", 60);  // one window, iterations 9 to 53
    options.set("draws", 40);
    options.set("metric", metric);
    options.set("particles", 64);
    options.set("temperatures", 6);
    for (const std::size_t at : {0U, 1U, 3U, 37U, 54U, 60U, 71U}) expect_same_bits(method, options, at, 100);
  }
}

TEST_P(Resume, AnotherMethodsArchiveIsNotComplete) {
  const Method& method = *find_method(GetParam());
  Target target = two_modes(3, 1.5, 0.3);
  const auto chain = method.make(target, {}, start_at({0.3, -0.2, 0.9}));
  Archive reading(std::vector<double>{1, 2, 3});
  chain->archive(reading);
  EXPECT_FALSE(reading.is_complete());
}

INSTANTIATE_TEST_SUITE_P(Methods, Resume,
                         testing::Values("nuts", "hmc", "mala", "rwm", "sgld", "sghmc", "sgnht", "smc",
                                         "svgd", "tempering"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace kullback::infer
