#include "deep/split_rows.hpp"

#include <cmath>

#include "base/random.hpp"
#include "deep/purpose.hpp"

namespace kullback::deep {

RowSplit split_rows(std::int64_t rows, double part, std::uint64_t seed) {
  Random random(seed, 0, static_cast<std::uint32_t>(Purpose::split));
  at::manual_seed(random());
  const torch::Tensor order = torch::randperm(rows, torch::kInt64);
  const auto count = static_cast<std::int64_t>(std::llround(part * static_cast<double>(rows)));
  const auto in_order = [](const torch::Tensor& some) { return std::get<0>(some.sort()); };
  return {in_order(order.narrow(0, count, rows - count)), in_order(order.narrow(0, 0, count))};
}

}  // namespace kullback::deep
