// The driver on the Gaussian mixture: methods, starts, threads, sampling.
#include "conjugate/train.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"
#include "conjugate/minibatch.hpp"
#include "conjugate/movers.hpp"
#include "conjugate/record.hpp"
#include "tests/conjugate/memory_source.hpp"
#include "tests/conjugate/topic_corpus.hpp"

namespace kullback::conjugate {
namespace {

Buffer three_groups(std::size_t rows) {
  Random random(3);
  Buffer data(DataKind::table, 2);
  for (std::size_t row = 0; row < rows; ++row) {
    const double centre = 4.0 * static_cast<double>(row % 3);
    const double cells[] = {centre + random.normal(), -centre + random.normal()};
    data.add_row(cells);
  }
  return data;
}

class Train : public ::testing::Test {
 protected:
  TrainOutcome run(const TrainOptions& options, bool streams = false) {
    MemorySource source(data_, streams);
    const ModelRecord* record = find_model("mixture", "gaussian");
    const OptionValues values = read_options(record->options, {{"components", "3"}}, record->kind);
    return train([&] { return record->make(values, source.shape()); }, source, options, ranks_);
  }
  double per_row(const TrainOutcome& outcome) const {
    return outcome.starts[outcome.best].elbo / static_cast<double>(data_.units());
  }

  Ranks ranks_;
  Buffer data_ = three_groups(3000);
};

TEST_F(Train, BoundNeverFallsAndConverges) {
  const TrainOutcome outcome = run({.seed = 1});
  const StartOutcome& start = outcome.starts[0];
  EXPECT_TRUE(start.is_converged);
  EXPECT_LT(start.largest_fall, 1e-12);
  for (std::size_t i = 1; i < start.trace.size(); ++i) {
    EXPECT_GE(start.trace[i].elbo, start.trace[i - 1].elbo - 1e-12 * std::abs(start.elbo));
  }
}

TEST_F(Train, ThreadsChangeNoBit) {
  const TrainOutcome one = run({.starts = 3, .seed = 1, .threads = 1});
  const TrainOutcome four = run({.starts = 3, .seed = 1, .threads = 4});
  EXPECT_EQ(one.best, four.best);
  for (std::size_t s = 0; s < 3; ++s) EXPECT_EQ(one.starts[s].state, four.starts[s].state);
}

TEST_F(Train, StreamGivesTheSameBound) {
  EXPECT_NEAR(per_row(run({.seed = 1})), per_row(run({.seed = 1}, true)), 1e-10);
}

TEST_F(Train, StochasticComesNear) {
  const double exact = per_row(run({.seed = 1}));
  for (const StepRule rule : {StepRule::robbins_monro, StepRule::adam}) {
    for (const UnitSampling sampling : {UnitSampling::uniform, UnitSampling::importance}) {
      const double found = per_row(run({.method = Method::svi,
                                        .passes = 30,
                                        .batch = 200,
                                        .step_rule = rule,
                                        .sampling = sampling,
                                        .seed = 1}));
      EXPECT_GT(found, exact - 0.01) << static_cast<int>(rule) << static_cast<int>(sampling);
      EXPECT_LT(found, exact + 1e-6);
    }
  }
  EXPECT_GT(per_row(run({.method = Method::svi, .passes = 30, .batch = 200, .seed = 1}, true)), exact - 0.01);
}

TEST_F(Train, StreamingComesNear) {
  const double exact = per_row(run({.seed = 1}));
  const double found = per_row(run({.method = Method::streaming, .batch = 500, .seed = 1}));
  EXPECT_GT(found, exact - 0.05);
  EXPECT_LT(found, exact + 1e-6);
}

// Topics begin at random. Two steps in the first pass are worth a pass more, and cost none.
TEST(FirstSteps, GetFurtherInAsManyPasses) {
  const Corpus corpus(200, 10, 1000, 80);
  MemorySource source(corpus.documents, false);
  const ModelRecord* record = find_model("topics", "lda");
  const OptionValues values = read_options(record->options, {{"topics", "10"}}, record->kind);
  const Ranks ranks;
  const auto bound_after = [&](std::size_t first_steps) {
    const TrainOutcome outcome = train([&] { return record->make(values, source.shape()); }, source,
                                       {.passes = 3, .first_steps = first_steps, .seed = 1}, ranks);
    EXPECT_EQ(outcome.starts[0].passes, 3u);
    EXPECT_EQ(outcome.starts[0].trace.size(), first_steps == 1 ? 4u : 3u);
    return outcome.starts[0].elbo / 80'000;
  };
  EXPECT_GT(bound_after(2), bound_after(1) + 0.02);
}

// Mean of the weighted sums of x over many minibatches against the sum over all rows, in standard errors.
TEST_F(Train, MinibatchesAreUnbiased) {
  const Batch all = data_.batch();
  MemorySource source(data_, false);
  double exact = 0;
  for (std::size_t row = 0; row < all.units; ++row) exact += all.row(row)[0];
  const ImportanceSampler importance(all, source.shape(), ranks_);
  const ModelRecord* record = find_model("mixture", "gaussian");
  const auto model = record->make(read_options(record->options, {}, record->kind), source.shape());
  for (const bool is_important : {false, true}) {
    constexpr int kDraws = 4000;
    double sum = 0, square = 0;
    for (int draw = 0; draw < kDraws; ++draw) {
      Random random(5, 0, 9, static_cast<std::uint32_t>(draw));
      Buffer batch(DataKind::table, 2);
      if (is_important) {
        importance.sample(all, 50, random, batch);
      } else {
        model->sample_minibatch(all, all.units, 50, random, batch);
      }
      const Batch view = batch.batch();
      double found = 0;
      for (std::size_t row = 0; row < view.units; ++row) found += view.weight(row) * view.row(row)[0];
      sum += found;
      square += found * found;
    }
    const double mean = sum / kDraws;
    const double error = std::sqrt((square / kDraws - mean * mean) / kDraws);
    EXPECT_LT(std::abs(mean - exact), 4 * error) << is_important;
  }
}

TEST(Choose, DifferentNumbersInOrderEachAsLikely) {
  std::vector<double> counts(20);
  constexpr int kDraws = 20000;
  for (int draw = 0; draw < kDraws; ++draw) {
    Random random(2, 0, 0, static_cast<std::uint32_t>(draw));
    const auto chosen = choose(20, 5, random);
    ASSERT_EQ(chosen.size(), 5u);
    for (std::size_t i = 0; i < 5; ++i) {
      if (i > 0) {
        ASSERT_LT(chosen[i - 1], chosen[i]);
      }
      counts[chosen[i]] += 1;
    }
  }
  const double error = std::sqrt(kDraws * 0.25 * 0.75);
  for (const double count : counts) EXPECT_NEAR(count, kDraws * 0.25, 4.5 * error);
}

TEST(Movers, AdamStaysInsideAndArrives) {
  AdamMover mover(0.05);
  std::vector<double> natural = {5.0, 0.01};
  const std::vector<double> target = {1.0, 2.0};
  const Mover::Inside inside = [](std::span<const double> at) { return at[0] > 0 && at[1] > 0; };
  for (std::uint64_t step = 0; step < 400; ++step) {
    mover.set_step(step);
    mover.move(0, natural, target, inside);
    ASSERT_TRUE(inside(natural));
  }
  EXPECT_NEAR(natural[0], 1.0, 0.1);
  EXPECT_NEAR(natural[1], 2.0, 0.15);
  AdamMover copy(0.05);
  copy.set_state(mover.state());
  EXPECT_EQ(copy.state(), mover.state());
}

}  // namespace
}  // namespace kullback::conjugate
