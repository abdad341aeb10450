// The command that repeats a run, from its record alone; tests/run/repeat_test.py runs such commands.
#include "report/repeat_command.hpp"

#include <gtest/gtest.h>

namespace kullback::report {
namespace {

run::RunRecord record_of(const std::string& method, run::RunOptions options) {
  run::RunRecord record;
  record.method = method;
  record.program = "m.stan";
  record.data = "d.json";
  record.seed = 7;
  record.chains = 1;
  record.options = std::move(options);
  return record;
}

std::string command_of(const std::string& method, run::RunOptions options) {
  return repeat_command(record_of(method, std::move(options)));
}

TEST(RepeatCommand, HasAllOptionsThatDecideTheDraws) {
  EXPECT_EQ(command_of("pathfinder", {{"draws", std::size_t{10}},
                                      {"resample", false},
                                      {"wasserstein", true},
                                      {"include_path", std::vector<std::string>{"/a b", "/c"}}}),
            "kullback fit m.stan d.json --method pathfinder --chains 1 --draws 10 --include-path '/a b' "
            "\\\n  --include-path /c --resample=false --wasserstein --seed 7");
}

TEST(RepeatCommand, MinibatchesHaveTheirSizeOnce) {
  const std::string words = "kullback fit m.stan d.json --method advi --chains 1 --minibatch N=8 --seed 7";
  EXPECT_EQ(command_of("advi", {{"batch_size", std::size_t{8}}, {"minibatch", "N=8"}}), words);
  EXPECT_EQ(command_of("advi", {{"batch_size", "8"}, {"minibatch", "N"}}), words);  // of version 0.1
  EXPECT_EQ(command_of("advi", {{"batch_size", std::size_t{8}}}),
            "kullback fit m.stan d.json --method advi --chains 1 --batch-size 8 --seed 7");
}

TEST(RepeatCommand, OfTheLadderLeavesOutTheOptionsOfItsRung) {
  EXPECT_EQ(command_of("nuts", {{"draws", std::size_t{1000}},
                                {"init", "2"},
                                {"ladder_chains", std::size_t{3}},
                                {"tolerance", 0.1},
                                {"tolerance_is_default", true}}),
            "kullback fit m.stan d.json --chains 3 --init 2 --tolerance 0.1 --seed 7");
}

TEST(RepeatCommand, OfVersion01ReadsItsTexts) {
  EXPECT_EQ(command_of("sgld", {{"stream", "y=/y.f64\nx=/x.f64\n"}, {"wasserstein", "true"}, {"strata", ""}}),
            "kullback fit m.stan d.json --method sgld --chains 1 --stream y=/y.f64 --stream x=/x.f64 \\\n"
            "  --wasserstein true --seed 7");
}

TEST(RepeatCommand, AProgramWithoutParametersHasNoMethodOfItsOwn) {
  EXPECT_EQ(command_of("fixed_param", {{"draws", std::size_t{20}}}),
            "kullback fit m.stan d.json --method nuts --chains 1 --draws 20 --seed 7");
}

TEST(RepeatCommand, OtherKindsHaveTheirVerbs) {
  EXPECT_EQ(command_of("optimize", {{"jacobian", true}}),
            "kullback optimize m.stan d.json --jacobian --seed 7");
  run::RunRecord record = record_of("simulate", {{"draws", std::size_t{5}}});
  record.kind = run::Kind::simulation;
  record.data.clear();
  EXPECT_EQ(repeat_command(record), "kullback simulate m.stan --draws 5 --seed 7");
  record = record_of("advi", {{"level", 0.01}});
  record.kind = run::Kind::calibration;
  EXPECT_EQ(repeat_command(record), "kullback calibrate m.stan d.json --method advi --level 0.01 --seed 7");
  record.kind = run::Kind::mixture;
  EXPECT_EQ(repeat_command(record), "");
}

}  // namespace
}  // namespace kullback::report
