#include "fit/gather.hpp"

#include <gtest/gtest.h>

namespace kullback::fit {
namespace {

FinishedChain some_chain() {
  FinishedChain chain;
  chain.number = 3;
  chain.chain.draws = 2;
  chain.chain.columns = {1, 2, 3, 4};
  chain.chain.stats = {5, 6};
  chain.chain.log_density = {-1, -2};
  chain.chain.log_q = {0.5, 0.25};
  chain.chain.adaptation = posterior::AdaptationNote{0.7, "diag_e", {1, 2}};
  chain.chain.warmup_seconds = 1.5;
  chain.chain.sampling_seconds = 2.5;
  chain.result.draws.dim = 2;
  chain.result.draws.theta = {9, 10, 11, 12};
  chain.result.draws.log_density = {-1, -2};
  chain.result.gradients = 123456789;
  chain.result.is_finished = true;
  chain.result.findings = {{"code", "Größe", "evidence", "advice"}};
  chain.problem = "model.stan:1:2: no";
  chain.log_prior = {7};
  chain.log_likelihood = {8};
  return chain;
}

TEST(Gather, AChainSurvivesItsArchive) {
  FinishedChain chain = some_chain();
  infer::Archive out;
  archive(out, chain);
  FinishedChain read;
  infer::Archive in(out.numbers());
  archive(in, read);
  ASSERT_TRUE(in.is_complete());
  EXPECT_EQ(read.number, 3U);
  EXPECT_EQ(read.chain.draws, 2U);
  EXPECT_EQ(read.chain.columns, chain.chain.columns);
  EXPECT_EQ(read.chain.stats, chain.chain.stats);
  EXPECT_EQ(read.chain.log_density, chain.chain.log_density);
  EXPECT_EQ(read.chain.log_q, chain.chain.log_q);
  EXPECT_TRUE(read.chain.log_weight.empty());
  ASSERT_TRUE(read.chain.adaptation.has_value());
  EXPECT_EQ(read.chain.adaptation->step_size, 0.7);
  EXPECT_EQ(read.chain.adaptation->metric, "diag_e");
  EXPECT_EQ(read.chain.adaptation->inv_metric, (std::vector<double>{1, 2}));
  EXPECT_EQ(read.result.draws.dim, 2U);
  EXPECT_EQ(read.result.draws.theta, chain.result.draws.theta);
  EXPECT_EQ(read.result.draws.count(), 2U);
  EXPECT_EQ(read.result.gradients, 123456789U);
  EXPECT_TRUE(read.result.is_finished);
  ASSERT_EQ(read.result.findings.size(), 1U);
  EXPECT_EQ(read.result.findings[0].message, "Größe");
  EXPECT_EQ(read.problem, chain.problem);
  EXPECT_EQ(read.log_prior, chain.log_prior);
  EXPECT_EQ(read.log_likelihood, chain.log_likelihood);
}

TEST(Gather, AnArchiveThatEndsEarlyIsNoticed) {
  FinishedChain chain = some_chain();
  infer::Archive out;
  archive(out, chain);
  std::vector<double> numbers = out.numbers();
  numbers.pop_back();
  infer::Archive in(std::move(numbers));
  FinishedChain read;
  archive(in, read);
  EXPECT_TRUE(in.is_overrun());
}

TEST(Gather, AloneNothingIsSent) {
  const Ranks ranks;
  std::vector<FinishedChain> chains;
  chains.push_back(some_chain());
  EXPECT_EQ(gather(std::move(chains), ranks).size(), 1U);
}

}  // namespace
}  // namespace kullback::fit
