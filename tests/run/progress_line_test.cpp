// What the line says of chains, passes and epochs.
#include "run/progress_line.hpp"

#include <gtest/gtest.h>

namespace kullback::run {
namespace {

TEST(ProgressLine, SaysStageRateRestAndDivergences) {
  EXPECT_EQ(progress_text(
                {.stage = "nuts",
                 .parts = {{.done = 1000, .total = 2000, .divergences = 2}, {.done = 2000, .total = 2000}}},
                1.0),
            "nuts: sampling 75 %, 3,000 steps/s, 1 s left, 1 of 2 chains done, 2 divergences");
}

TEST(ProgressLine, WarmUpOfTheSlowestChain) {
  EXPECT_EQ(progress_text({.parts = {{.done = 10, .total = 2000, .is_warming_up = true}}}, 100.0),
            "warm-up 0 %, 0.1 steps/s, 5 h 31 min left");
}

TEST(ProgressLine, AnUnknownTotalHasNeitherShareNorRest) {
  EXPECT_EQ(progress_text({.stage = "optimize", .parts = {{.done = 1234567}}}, 1.0),
            "optimize: searching, 1,234,567 steps/s");
}

// A second method of several begins with a rate of its own, and a run that goes on does not count what was
// done before.
TEST(ProgressLine, RatesCountFromTheBeginOfTheStage) {
  EXPECT_EQ(progress_text({.stage = "nuts", .parts = {{.done = 1500, .total = 2000}}}, 20.0,
                          {.seconds = 10, .done = 1000}),
            "nuts: sampling 75 %, 50 steps/s, 10 s left");
}

TEST(ProgressLine, AStageWithoutPartsIsItsName) {
  EXPECT_EQ(progress_text({.stage = "judging nuts"}, 5.0), "judging nuts");
}

TEST(ProgressLine, StartsComeOneAfterTheOther) {
  const RunProgress progress{
      .stage = "cavi",
      .unit = Unit::pass,
      .is_at_most = true,
      .parts = {{.done = 40, .total = 500, .value_name = "bound per unit", .value = -4},
                {.done = 10, .total = 500, .value_name = "bound per unit", .value = -3.25},
                {.total = 500}}};
  EXPECT_EQ(progress_text(progress, 5.0),
            "cavi: start 2 of 3, pass 10 of at most 500, bound per unit -3.25, 0.1 s per pass");
}

TEST(ProgressLine, EpochsHaveLossAndFigures) {
  const RunProgress progress{
      .stage = "training",
      .unit = Unit::epoch,
      .parts = {{.name = "epochs", .done = 20, .total = 100, .value_name = "loss", .value = 0.5},
                {.name = "held out", .value_name = "bound", .value = -1.5},
                {.value_name = "acceptance"}}};
  EXPECT_EQ(progress_text(progress, 10.0),
            "training: epoch 20 of 100, loss 0.5, held out bound -1.5, 40 s left");
}

TEST(ProgressLine, AddsTheGradientsOfAllParts) {
  EXPECT_EQ(gradients_of({.parts = {{.gradients = 3}, {.gradients = 4}}}), 7U);
}

}  // namespace
}  // namespace kullback::run
