#include "base/memory.hpp"

#include <gtest/gtest.h>

namespace kullback {
namespace {

TEST(Memory, HasUnits) {
  EXPECT_EQ(bytes_text(12), "12 bytes");
  EXPECT_EQ(bytes_text(1500), "1.5 kB");
  EXPECT_EQ(bytes_text(2.25e9), "2.25 GB");
}

TEST(Memory, SomeIsAvailable) { EXPECT_GT(available_memory(), 1'000'000U); }

}  // namespace
}  // namespace kullback
