#include "base/fresh_seed.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>

namespace kullback {
namespace {

TEST(FreshSeed, IsAnotherOneEachTime) {
  std::set<std::uint32_t> seeds;
  for (int i = 0; i < 8; ++i) seeds.insert(fresh_seed());
  EXPECT_GE(seeds.size(), 7U);  // two of eight agree once in 10^8 runs, three once in 10^17
}

}  // namespace
}  // namespace kullback
