#include "deep/split_rows.hpp"

#include <fmt/format.h>

#include <cmath>
#include <tuple>

#include "base/error.hpp"
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

RowSplit split_rows(std::int64_t rows, double part, std::uint64_t seed, const std::string& file) {
  RowSplit split = split_rows(rows, part, seed);
  if (split.train.size(0) < 2)
    throw Error(ErrorKind::bad_input, fmt::format("{}: {} rows are too few to train on.", file, rows),
                "Give more rows, or a smaller --validation.");
  return split;
}

}  // namespace kullback::deep
