#include "stats/t_quantile.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kullback::stats::test {
namespace {

TEST(TQuantile, ReferenceValues) {  // mpmath, 40 digits
  struct Row {
    double probability;
    std::size_t degrees;
    double quantile;
  };
  for (const Row& row : {Row{0.995, 1, 63.656741162871581}, Row{0.995, 2, 9.92484320091829311},
                         Row{0.975, 9, 2.26215716279820554}, Row{0.995, 9, 3.24983554159212628},
                         Row{0.025, 30, -2.04227245630123831}, Row{0.9999, 7, 7.06343282815751401},
                         Row{0.995, 399, 2.58820716403097598}, Row{0.995, 400, 2.58817608003473994},
                         Row{0.99999, 1000, 4.28543768265295786}}) {
    EXPECT_NEAR(t_quantile(row.probability, row.degrees), row.quantile, 1e-9 * std::abs(row.quantile))
        << row.probability << " " << row.degrees;
  }
  EXPECT_NEAR(t_quantile(0.5, 3), 0, 1e-12);
}

}  // namespace
}  // namespace kullback::stats::test
