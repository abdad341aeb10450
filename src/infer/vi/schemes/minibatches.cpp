#include "infer/vi/schemes/minibatches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "base/random.hpp"
#include "infer/algorithm.hpp"
#include "infer/vi/options.hpp"

namespace kullback::infer {

namespace {

constexpr std::size_t kLeastChosen = 10;
constexpr std::size_t kMostChosen = 500;
constexpr std::size_t kShare = 20;                // a twentieth of the rows
constexpr std::uint32_t kPartition = ~0U;         // indices that are no iterations
constexpr std::uint32_t kBlockStream = 1U << 31;  // added to the iteration

Random stream(const NoiseName& name, std::uint32_t index) {
  return Random(name.seed, name.chain, static_cast<std::uint32_t>(Purpose::minibatch), index);
}

}  // namespace

// Floyd's algorithm: size() random numbers, whatever rows() is.
std::vector<std::uint32_t> Minibatches::at(std::uint32_t index) const {
  Random random = stream(name_, index);
  std::vector<std::uint32_t> chosen;  // in order
  for (std::size_t last = rows_ - size_; last < rows_; ++last) {
    auto row = static_cast<std::uint32_t>(random.below(last + 1));
    auto place = std::lower_bound(chosen.begin(), chosen.end(), row);
    if (place != chosen.end() && *place == row) {
      row = static_cast<std::uint32_t>(last);
      place = chosen.end();
    }
    chosen.insert(place, row);
  }
  return chosen;
}

std::vector<std::vector<std::uint32_t>> Minibatches::partition() const {
  Random random = stream(name_, kPartition);
  std::vector<std::uint32_t> order(rows_);
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t i = rows_; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  std::vector<std::vector<std::uint32_t>> result(blocks());
  for (std::size_t i = 0; i < rows_; ++i) result[i / size_].push_back(order[i]);
  for (auto& block : result) std::sort(block.begin(), block.end());
  return result;
}

std::size_t Minibatches::block_at(std::uint32_t index) const {
  return stream(name_, kBlockStream + index).below(rows_) / size_;
}

RowSetting rows_for(std::string_view flag, density::LogDensity& density, const Options& options) {
  density::Rows* rows = density.rows();
  if (rows == nullptr) {
    throw Error(ErrorKind::usage,
                fmt::format("{} takes the data some rows at a time, and this model has no rows.", flag),
                "Stan programs have rows where each term of the likelihood belongs to one index of the data "
                "(docs/minibatches.md); `--optimizer adam` needs none.");
  }
  const std::size_t count = rows->count();
  if (options[option::kBatchSize] > count) {
    throw Error(ErrorKind::usage,
                fmt::format("a minibatch of {} rows was asked for, but the data have {} rows.",
                            options[option::kBatchSize], count),
                fmt::format("Ask for {} or fewer; with fewer than that there is something to gain.", count));
  }
  const std::size_t chosen = std::min(count, std::clamp(count / kShare, kLeastChosen, kMostChosen));
  return {rows,
          options[option::kBatchSize] > 0 ? options[option::kBatchSize] : std::max<std::size_t>(1, chosen)};
}

}  // namespace kullback::infer
