// Requests to stop: who heeds them, when work is cut short, and what reprieves it.
#include "base/stop.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "base/stop_timer.hpp"

namespace kullback {
namespace {

using std::chrono::milliseconds;

bool is_cut() {
  try {
    stop_if_asked();
    return false;
  } catch (const Interrupted&) {
    return true;
  }
}

TEST(Stop, WorkIsToldAtOnceAndCutAfterTheGrace) {
  StopRequest request(nullptr, milliseconds(50));
  const StopScope scope(&request);
  EXPECT_FALSE(is_stop_asked());
  request.ask();
  EXPECT_TRUE(is_stop_asked());
  EXPECT_FALSE(is_cut());
  std::this_thread::sleep_for(milliseconds(60));
  EXPECT_TRUE(is_cut());
  request.withdraw();
  EXPECT_FALSE(is_stop_asked());
  EXPECT_FALSE(is_cut());
}

TEST(Stop, AThreadHeedsWhatItIsGiven) {
  StopRequest request(nullptr, milliseconds(0));
  const StopScope scope(&request);
  request.ask();
  bool stranger = true, helper = false;
  std::thread([&] { stranger = is_cut(); }).join();
  std::thread([&, heeded = heeded_stop()] {
    const StopScope same(heeded);
    helper = is_cut();
  }).join();
  EXPECT_FALSE(stranger);
  EXPECT_TRUE(helper);
}

TEST(Stop, AnInnerRequestStopsWithTheOuterOneOnly) {
  StopRequest outer(nullptr, milliseconds(0));
  StopRequest inner(&outer, milliseconds(0));
  inner.ask();
  {
    const StopScope scope(&outer);
    EXPECT_FALSE(is_cut());
  }
  inner.withdraw();
  outer.ask();
  const StopScope scope(&inner);
  EXPECT_TRUE(is_cut());
  EXPECT_FALSE(inner.is_asked());
}

TEST(Stop, TheProcessIsHeededByAll) {
  process_stop().ask();
  bool stranger = false;
  std::thread([&] { stranger = is_stop_asked(); }).join();
  EXPECT_TRUE(stranger);
  process_stop().withdraw();
  EXPECT_FALSE(is_stop_asked());
}

TEST(Stop, AReprieveLasts) {
  StopRequest request(nullptr, milliseconds(0));
  const StopScope scope(&request);
  request.ask();
  {
    const StopReprieve reprieve(milliseconds(100));
    EXPECT_FALSE(is_cut());
    std::this_thread::sleep_for(milliseconds(110));
    EXPECT_TRUE(is_cut());
  }
  const StopReprieve again(std::chrono::hours(1));
  EXPECT_FALSE(is_cut());
}

TEST(Stop, ATimerAsksInTimeUnlessItIsGone) {
  StopRequest request;
  { const StopTimer late(request, StopRequest::Clock::now() + std::chrono::hours(1)); }
  EXPECT_FALSE(request.is_asked());
  const StopTimer timer(request, StopRequest::Clock::now() + milliseconds(20));
  for (int looks = 0; looks < 500 && !request.is_asked(); ++looks)
    std::this_thread::sleep_for(milliseconds(10));
  EXPECT_TRUE(request.is_asked());
}

}  // namespace
}  // namespace kullback
