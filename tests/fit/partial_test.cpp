#include "fit/partial.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "base/file.hpp"

namespace kullback::fit {
namespace {

namespace fs = std::filesystem;

class PartialTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              ("partial-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  // Two coordinates, one stat.
  static void add_draw(infer::Draws& draws, double number) {
    draws.dim = 2;
    draws.theta.insert(draws.theta.end(), {number, -number});
    draws.log_density.push_back(number / 3);
    draws.stats.push_back(number * 7);
  }
  static infer::Draws draws_of(int count) {
    infer::Draws draws;
    draws.dim = 2;
    for (int i = 0; i < count; ++i) add_draw(draws, i + 0.1);
    return draws;
  }
  bool load(ChainState& state, infer::Draws& draws) const {
    draws = {};
    draws.dim = 2;
    return Partial(folder_, 0, 1).load(state, draws);
  }
  std::string refusal() const {
    ChainState state;
    infer::Draws loaded;
    try {
      load(state, loaded);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_input);
      return error.message();
    }
    return "nothing was refused";
  }
  static void flip_a_bit(const fs::path& path) {
    std::string bytes = read_file(path);
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
    replace_file(path, bytes);
  }
  fs::path state_path() const { return folder_ / "chain-1.state"; }
  fs::path draws_path() const { return folder_ / "chain-1.draws"; }

  fs::path folder_;
};

TEST_F(PartialTest, WhatIsSavedIsLoaded) {
  infer::Draws draws = draws_of(3);
  Partial partial(folder_, 0, 1);
  partial.save({{1.5, -2.5}, false, 0.25, 0.5}, draws);
  add_draw(draws, 9);
  partial.save({{3.5}, true, 0.25, 0.75}, draws);
  ChainState state;
  infer::Draws loaded;
  ASSERT_TRUE(load(state, loaded));
  EXPECT_EQ(state.algorithm, std::vector<double>{3.5});
  EXPECT_TRUE(state.is_finished);
  EXPECT_EQ(state.warmup_seconds, 0.25);
  EXPECT_EQ(state.sampling_seconds, 0.75);
  EXPECT_EQ(loaded.theta, draws.theta);
  EXPECT_EQ(loaded.log_density, draws.log_density);
  EXPECT_EQ(loaded.stats, draws.stats);
  EXPECT_TRUE(loaded.log_q.empty());
}

TEST_F(PartialTest, LogQAndWeightsAreKept) {
  infer::Draws draws = draws_of(2);
  draws.log_q = {1, 2};
  draws.log_weight = {3, std::nan("")};
  Partial(folder_, 0, 1).save({}, draws);
  ChainState state;
  infer::Draws loaded;
  ASSERT_TRUE(load(state, loaded));
  EXPECT_EQ(loaded.log_q, draws.log_q);
  EXPECT_EQ(loaded.log_weight[0], 3);
  EXPECT_TRUE(std::isnan(loaded.log_weight[1]));
}

// A crash between the draws and the state: the state decides.
TEST_F(PartialTest, DrawsAfterTheStateAreCutOff) {
  infer::Draws draws = draws_of(3);
  Partial(folder_, 0, 1).save({}, draws);
  append_to_file(draws_path(), "half a draw");
  ChainState state;
  infer::Draws loaded;
  Partial partial(folder_, 0, 1);
  loaded.dim = 2;
  ASSERT_TRUE(partial.load(state, loaded));
  EXPECT_EQ(loaded.count(), 3U);
  add_draw(loaded, 4);
  partial.save({}, loaded);
  infer::Draws again;
  ASSERT_TRUE(load(state, again));
  EXPECT_EQ(again.theta, loaded.theta);
}

// In warm-up there are none.
TEST_F(PartialTest, AStateWithoutDraws) {
  Partial(folder_, 0, 1).save({{1}, false, 0.5, 0}, draws_of(0));
  ChainState state;
  infer::Draws loaded;
  ASSERT_TRUE(load(state, loaded));
  EXPECT_EQ(loaded.count(), 0U);
  EXPECT_EQ(state.warmup_seconds, 0.5);
}

TEST_F(PartialTest, NothingToGoOnFrom) {
  ChainState state;
  infer::Draws loaded;
  EXPECT_FALSE(load(state, loaded));
}

TEST_F(PartialTest, ADamagedStateIsRefused) {
  Partial(folder_, 0, 1).save({{1, 2, 3}, false, 0, 0}, draws_of(2));
  flip_a_bit(state_path());
  EXPECT_NE(refusal().find("chain-1.state: is damaged"), std::string::npos);
}

TEST_F(PartialTest, TooFewDrawsAreRefused) {
  Partial(folder_, 0, 1).save({}, draws_of(2));
  fs::resize_file(draws_path(), fs::file_size(draws_path()) - 1);
  EXPECT_NE(refusal().find("chain-1.draws: has 95 bytes, but 2 draws"), std::string::npos);
  fs::resize_file(draws_path(), 0);
  EXPECT_NE(refusal().find("chain-1.draws: has 0 bytes"), std::string::npos);
}

// A finished run removes both, and may be killed between.
TEST_F(PartialTest, AStateWhoseDrawsAreGoneIsNone) {
  Partial(folder_, 0, 1).save({}, draws_of(2));
  fs::remove(draws_path());
  ChainState state;
  infer::Draws loaded;
  EXPECT_FALSE(load(state, loaded));
}

TEST_F(PartialTest, OtherDrawsAreRefused) {
  Partial(folder_, 0, 1).save({}, draws_of(2));
  flip_a_bit(draws_path());
  EXPECT_NE(refusal().find("chain-1.draws: is damaged"), std::string::npos);
}

// A run that begins anew does not append to what another left.
TEST_F(PartialTest, ANewRunStartsFromNothing) {
  Partial(folder_, 0, 1).save({}, draws_of(5));
  const infer::Draws fewer = draws_of(2);
  Partial(folder_, 0, 1).save({}, fewer);
  ChainState state;
  infer::Draws loaded;
  ASSERT_TRUE(load(state, loaded));
  EXPECT_EQ(loaded.theta, fewer.theta);
}

}  // namespace
}  // namespace kullback::fit
