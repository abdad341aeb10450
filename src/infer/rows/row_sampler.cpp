#include "infer/rows/row_sampler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "base/random.hpp"
#include "infer/algorithm.hpp"

namespace kullback::infer {

namespace {

constexpr std::uint32_t kEpochs = 1U << 31;  // added to the number of the epoch: no step has such an index

Random stream(const NoiseName& name, std::uint32_t index) {
  return Random(name.seed, name.chain, static_cast<std::uint32_t>(Purpose::minibatch), index);
}

constexpr std::size_t kMany = 4096;  // insertions take the square of it

// Number after number, each with the probability that is right given how many are still wanted.
void select_below(std::size_t count, std::size_t size, Random& random, std::vector<std::uint32_t>& chosen) {
  for (std::size_t i = 0; chosen.size() < size; ++i) {
    if (random.below(count - i) < size - chosen.size()) chosen.push_back(static_cast<std::uint32_t>(i));
  }
}

// `size` different numbers below `count`, in order: Floyd's algorithm, as many random numbers as are chosen.
void choose_below(std::size_t count, std::size_t size, Random& random, std::vector<std::uint32_t>& chosen) {
  chosen.clear();
  if (size > kMany) return select_below(count, size, random, chosen);
  for (std::size_t last = count - size; last < count; ++last) {
    auto row = static_cast<std::uint32_t>(random.below(last + 1));
    auto place = std::lower_bound(chosen.begin(), chosen.end(), row);
    if (place != chosen.end() && *place == row) {
      row = static_cast<std::uint32_t>(last);
      place = chosen.end();
    }
    chosen.insert(place, row);
  }
}

}  // namespace

RowSampling row_sampling_of(std::string_view name) {
  if (name == "uniform") return RowSampling::uniform;
  if (name == "epochs") return RowSampling::epochs;
  if (name == "strata") return RowSampling::strata;
  if (name == "importance") return RowSampling::importance;
  throw Error(ErrorKind::usage, fmt::format("--row-sampling: there is no way '{}' to choose rows.", name),
              "There are uniform, epochs, strata and importance.");
}

RowSampler::RowSampler(NoiseName name, RowSampling sampling, std::size_t rows, std::size_t size)
    : name_(name), sampling_(sampling), rows_(rows), size_(size), pieces_(1) {}

RowSampler::RowSampler(NoiseName name, std::size_t rows, std::size_t size,
                       std::span<const std::uint32_t> strata, std::span<const double> spreads)
    : name_(name), sampling_(RowSampling::strata), rows_(rows), size_(size) {
  for (std::uint32_t row = 0; row < rows; ++row) {
    if (strata[row] >= strata_.size()) strata_.resize(strata[row] + 1);
    strata_[strata[row]].rows.push_back(row);
  }
  if (strata_.size() > size) {
    throw Error(
        ErrorKind::usage,
        fmt::format("there are {} strata and {} rows in a minibatch, which takes at least one of each.",
                    strata_.size(), size),
        "Take more rows, or data with fewer values for --strata.");
  }
  allocate(spreads);
  for (const Stratum& stratum : strata_)
    pieces_.push_back({{}, static_cast<double>(stratum.rows.size()) / static_cast<double>(rows)});
}

// One row for each stratum, then one by one to the stratum that is furthest below its due.
void RowSampler::allocate(std::span<const double> spreads) {
  std::vector<double> dues;
  double total = 0;
  for (std::size_t h = 0; h < strata_.size(); ++h) {
    dues.push_back(static_cast<double>(strata_[h].rows.size()) * (spreads.empty() ? 1 : spreads[h]));
    total += dues.back();
  }
  for (Stratum& stratum : strata_) stratum.share = 1;
  for (std::size_t left = std::min(size_, rows_) - strata_.size(); left > 0; --left) {
    Stratum* neediest = nullptr;
    double most = 0;
    for (std::size_t h = 0; h < strata_.size(); ++h) {
      if (strata_[h].share == strata_[h].rows.size()) continue;
      const double need = (total > 0 ? dues[h] / total : 1) / static_cast<double>(strata_[h].share + 1);
      if (neediest != nullptr && need <= most) continue;
      neediest = &strata_[h];
      most = need;
    }
    ++neediest->share;
  }
}

const std::vector<RowPiece>& RowSampler::at(std::uint32_t index) {
  if (sampling_ == RowSampling::epochs) {
    fill_epoch(index);
    return pieces_;
  }
  Random random = stream(name_, index);
  if (sampling_ == RowSampling::uniform) {
    choose_below(rows_, size_, random, pieces_.front().rows);
    return pieces_;
  }
  for (std::size_t h = 0; h < strata_.size(); ++h) {
    choose_below(strata_[h].rows.size(), strata_[h].share, random, pieces_[h].rows);
    for (std::uint32_t& row : pieces_[h].rows) row = strata_[h].rows[row];
  }
  return pieces_;
}

// Block b of K has the rows from b N / K on in the order of the epoch: sizes differ by 1 at most.
void RowSampler::fill_epoch(std::uint32_t index) {
  const std::size_t blocks = (rows_ + size_ - 1) / size_;
  shuffle_epoch(static_cast<std::uint32_t>(index / blocks));
  const std::size_t b = index % blocks;
  const auto place = [&](std::size_t block) { return static_cast<long>(block * rows_ / blocks); };
  pieces_.front().rows.assign(order_.begin() + place(b), order_.begin() + place(b + 1));
  std::sort(pieces_.front().rows.begin(), pieces_.front().rows.end());
}

void RowSampler::shuffle_epoch(std::uint32_t epoch) {
  if (epoch == epoch_) return;
  epoch_ = epoch;
  Random random = stream(name_, kEpochs + epoch);
  order_.resize(rows_);
  std::iota(order_.begin(), order_.end(), 0U);
  for (std::size_t i = rows_; i > 1; --i) std::swap(order_[i - 1], order_[random.below(i)]);
}

std::vector<std::uint32_t> strata_by_score(std::span<const double> scores, std::size_t count) {
  std::vector<std::uint32_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return scores[a] != scores[b] ? scores[a] < scores[b] : a < b;
  });
  const std::size_t strata = std::min(count, scores.size());
  std::vector<std::uint32_t> result(scores.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    result[order[i]] = static_cast<std::uint32_t>(i * strata / order.size());
  return result;
}

}  // namespace kullback::infer
