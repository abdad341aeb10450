#include "conjugate/minibatch.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "conjugate/passes.hpp"
#include "conjugate/purpose.hpp"

namespace kullback::conjugate {

std::vector<std::uint64_t> choose(std::uint64_t bound, std::size_t size, Random& random) {
  size = static_cast<std::size_t>(std::min<std::uint64_t>(size, bound));
  std::set<std::uint64_t> chosen;
  for (std::uint64_t last = bound - size; last < bound; ++last) {
    if (!chosen.insert(random.below(last + 1)).second) chosen.insert(last);
  }
  return {chosen.begin(), chosen.end()};
}

Buffer sample_units(Source& source, std::size_t size, std::uint64_t seed, const Ranks& ranks) {
  const Shape& shape = source.shape();
  Random random(seed, 0, static_cast<std::uint32_t>(Purpose::sample));
  const std::vector<std::uint64_t> chosen = choose(shape.units, size, random);
  Buffer mine(shape.kind, shape.columns);
  const auto take_from = [&](const Batch& batch) {
    auto next = std::lower_bound(chosen.begin(), chosen.end(), batch.first);
    for (; next != chosen.end() && *next < batch.first + batch.units; ++next) {
      mine.add(batch, static_cast<std::size_t>(*next - batch.first));
    }
  };
  if (const Batch* all = source.in_memory()) {
    take_from(*all);
  } else {
    Buffer piece(shape.kind, shape.columns);
    source.rewind();
    while (source.read(piece_units(shape), piece)) take_from(piece.batch());
  }
  if (ranks.size() == 1) return mine;
  if (!ranks.is_first()) {
    ranks.send(mine.to_bytes(), 0);
  } else {
    for (int rank = 1; rank < ranks.size(); ++rank) mine.add_bytes(ranks.receive(rank));
  }
  const std::string bytes = ranks.broadcast(ranks.is_first() ? mine.to_bytes() : std::string());
  Buffer all(shape.kind, shape.columns);
  all.add_bytes(bytes);
  return all;
}

namespace {

// Squared distances of rows from the mean, over the variances, averaged over the columns that are there.
std::vector<double> row_sizes(const Batch& rows, const Ranks& ranks) {
  const std::size_t columns = rows.columns;
  std::vector<double> sums(3 * columns);  // count, sum, square
  for (std::size_t row = 0; row < rows.units; ++row) {
    for (std::size_t c = 0; c < columns; ++c) {
      const double x = rows.row(row)[c];
      if (std::isnan(x)) continue;
      sums[c] += 1;
      sums[columns + c] += x;
      sums[2 * columns + c] += x * x;
    }
  }
  ranks.sum(sums);
  std::vector<double> sizes(rows.units);
  for (std::size_t row = 0; row < rows.units; ++row) {
    double size = 0;
    double count = 0;
    for (std::size_t c = 0; c < columns; ++c) {
      const double x = rows.row(row)[c];
      const double mean = sums[columns + c] / sums[c];
      const double variance = sums[2 * columns + c] / sums[c] - mean * mean;
      if (std::isnan(x) || !(variance > 1e-12 * mean * mean)) continue;
      size += (x - mean) * (x - mean) / variance;
      count += 1;
    }
    sizes[row] = count > 0 ? size / count : 1;
  }
  return sizes;
}

std::vector<double> unit_sizes(const Batch& shard, const Ranks& ranks) {
  if (shard.kind == DataKind::table) return row_sizes(shard, ranks);
  std::vector<double> sizes(shard.units);
  for (std::size_t unit = 0; unit < shard.units; ++unit) {
    for (std::size_t at = shard.offsets[unit]; at < shard.offsets[unit + 1]; ++at) {
      sizes[unit] += shard.kind == DataKind::documents ? shard.values[at] : 1.0;
    }
  }
  return sizes;
}

}  // namespace

ImportanceSampler::ImportanceSampler(const Batch& shard, const Shape& shape, const Ranks& ranks) {
  const std::vector<double> sizes = unit_sizes(shard, ranks);
  std::vector<double> sums(static_cast<std::size_t>(ranks.size()));
  double& own = sums[static_cast<std::size_t>(ranks.rank())];
  for (const double size : sizes) own += size;
  ranks.sum(sums);
  double all = 0;
  for (const double sum : sums) all += sum;
  const double mean = all > 0 ? all / static_cast<double>(shape.units) : 1;
  for (int rank = 0; rank < ranks.rank(); ++rank) before_ += sums[static_cast<std::size_t>(rank)] / mean;
  before_ += static_cast<double>(shard.first);
  double at = before_;
  cumulative_.reserve(sizes.size());
  for (const double size : sizes) cumulative_.push_back(at += 1 + size / mean);
  total_ = (all > 0 ? 2.0 : 1.0) * static_cast<double>(shape.units);
}

void ImportanceSampler::sample(const Batch& shard, std::size_t size, Random& random, Buffer& into) const {
  for (std::size_t draw = 0; draw < size; ++draw) {
    const double at = random.uniform() * total_;
    if (at < before_ || cumulative_.empty() || at >= cumulative_.back()) continue;
    const auto unit = static_cast<std::size_t>(std::upper_bound(cumulative_.begin(), cumulative_.end(), at) -
                                               cumulative_.begin());
    const double share = cumulative_[unit] - (unit == 0 ? before_ : cumulative_[unit - 1]);
    into.add(shard, unit, total_ / (share * static_cast<double>(size)));
  }
}

}  // namespace kullback::conjugate
