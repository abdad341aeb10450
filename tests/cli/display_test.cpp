#include "cli/display.hpp"

#include <gtest/gtest.h>

namespace kullback::cli {
namespace {

TEST(Display, SaysStageRateRestAndDivergences) {
  EXPECT_EQ(
      progress_text({{.done = 1000, .total = 2000, .divergences = 2}, {.done = 2000, .total = 2000}}, 1.0),
      "sampling  75 %, 3,000 steps/s, 1 s left, 1 of 2 chains done, 2 divergences");
}

TEST(Display, WarmUpOfTheSlowestChain) {
  EXPECT_EQ(progress_text({{.done = 10, .total = 2000, .is_warming_up = true}}, 100.0),
            "warm-up   0 %, 0.1 steps/s, 5 h 31 min left");
}

TEST(Display, AnUnknownTotalHasNeitherShareNorRest) {
  EXPECT_EQ(progress_text({{.done = 1234567}}, 1.0), "sampling, 1,234,567 steps/s");
}

}  // namespace
}  // namespace kullback::cli
