// What holds for the record of every method, and for every sampler.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "base/error.hpp"
#include "infer/options.hpp"
#include "tests/infer/targets.hpp"

namespace kullback::infer {
namespace {

TEST(Methods, RecordsAreComplete) {
  for (const Method* method : methods()) {
    SCOPED_TRACE(method->name);
    EXPECT_EQ(find_method(method->name), method);
    EXPECT_FALSE(method->summary.empty());
    EXPECT_FALSE(method->citation.empty());
    ASSERT_FALSE(method->use_when.empty());
    EXPECT_EQ(method->use_when.back(), '.');
  }
  EXPECT_EQ(find_method("no such method"), nullptr);
}

// An option is one record, whatever methods read it: the command line, run.json and the other languages know
// it by its name.
TEST(Methods, OptionsHaveOneRecordEach) {
  std::set<std::string_view> names;
  for (const OptionRecord* option : all_options()) {
    SCOPED_TRACE(option->name);
    EXPECT_TRUE(names.insert(option->name).second);
    EXPECT_FALSE(option->help.empty());
    EXPECT_NE(option->help.back(), '.');
    EXPECT_NO_THROW(check_option(*option, default_value(*option)));
    EXPECT_EQ(read_option(*option, default_text(*option)), default_value(*option));
  }
  for (const Method* method : methods()) {
    for (const Refusal& refusal : method->refusals)
      EXPECT_EQ(find_option(method->options, refusal.option), nullptr) << method->name << refusal.option;
  }
}

TEST(Methods, OptionsByNameKnowTheirType) {
  Options options{
      {"draws", 100}, {"metric", Metric::dense}, {"resample", false}, {"family", "flow"}, {"step_size", 2}};
  EXPECT_EQ(options[option::kDraws], 100U);
  EXPECT_EQ(options[option::kMetric], Metric::dense);
  EXPECT_EQ(options[option::kWarmup], 1000U);
  EXPECT_FALSE(options.is_given(option::kWarmup));
  options.set("draws", 7);
  EXPECT_EQ(options.text_of(option::kDraws), "7");
  EXPECT_THROW(options.set("no_such_option", 1), Error);
  EXPECT_THROW(options.set("metric", 0.5), Error);
  EXPECT_THROW(options.set("draws", -1), Error);
  EXPECT_THROW(options.set("draws", 2.5), Error);
}

class Sampler : public testing::TestWithParam<const char*> {
 protected:
  const Method& method() const { return *find_method(GetParam()); }
  static Options brief() {
    Options options;
    options.set("warmup", 50);
    options.set("draws", 20);
    options.set("particles", 20);
    options.set("temperatures", 4);
    return options;
  }
};

TEST_P(Sampler, HasItsColumnsAndCounts) {
  Target target = two_modes(3, 1.5, 0.3);
  const auto chain = method().make(target, brief(), start_at({0.3, -0.2, 0.9}));
  EXPECT_TRUE(chain->progress().done == 0 && chain->progress().is_warming_up);
  const Draws draws = run(*chain);
  EXPECT_EQ(draws.count(), 20U);
  EXPECT_EQ(draws.dim, 3U);
  EXPECT_EQ(draws.theta.size(), 60U);
  EXPECT_EQ(draws.stats.size(), 20 * method().stats.size());
  for (const double number : draws.stats) EXPECT_TRUE(std::isfinite(number));
  const Progress progress = chain->progress();
  EXPECT_FALSE(progress.is_warming_up);
  EXPECT_EQ(progress.done, progress.total > 0 ? progress.total : progress.done);
  EXPECT_EQ(progress.gradients, method().needs.gradient ? target.evaluations : 0);
  Draws more;
  EXPECT_FALSE(chain->step(more));
  EXPECT_EQ(more.count(), 0U);
}

TEST_P(Sampler, RunsAModelWithoutParameters) {
  Target target(0, [](const double*, double*) { return -1.5; });
  const Draws draws = run(*method().make(target, brief(), start_at({})));
  EXPECT_EQ(draws.log_density, std::vector<double>(20, -1.5));
}

INSTANTIATE_TEST_SUITE_P(Methods, Sampler, testing::Values("nuts", "hmc", "mala", "rwm", "smc", "tempering"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace kullback::infer
