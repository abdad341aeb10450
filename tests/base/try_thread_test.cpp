// Where the system has no thread to give, the work goes on with those that there are.
#include "base/try_thread.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace kullback {
namespace {

struct Refused {
  template <class Work>
  explicit Refused(Work&&) {
    throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
  }
};

TEST(TryThread, SaysWhetherThereIsOne) {
  std::vector<Refused> none;
  EXPECT_FALSE(try_start(none, [] {}));
  EXPECT_TRUE(none.empty());
  int value = 0;
  {
    std::vector<std::jthread> threads;
    EXPECT_TRUE(try_start(threads, [&value] { value = 3; }));
  }
  EXPECT_EQ(value, 3);
}

TEST(TryThread, GivesTheResult) {
  EXPECT_EQ(async_where_possible([] { return 7; }).get(), 7);
}

}  // namespace
}  // namespace kullback
