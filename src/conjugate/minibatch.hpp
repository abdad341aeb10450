// Units chosen at random from data that may lie on several machines: every rank makes the same choice and
// keeps what it has of it.
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "base/ranks.hpp"
#include "conjugate/data.hpp"

namespace kullback::conjugate {

// Each unit with a probability in proportion to half a constant and half its size: for a row of a table its
// squared distance from the mean in units of the columns' variances, for a document its words, for a sequence
// its rows. Weights make the statistics unbiased.
class ImportanceSampler final {
 public:
  ImportanceSampler(const Batch& shard, const Shape& shape, const Ranks& ranks);
  // With replacement.
  void sample(const Batch& shard, std::size_t size, Random& random, Buffer& into) const;

 private:
  std::vector<double> cumulative_;  // of this shard, after `before_`
  double before_ = 0;
  double total_ = 0;
};

// About `size` units (all where there are no more), the same on every rank and for every number of ranks.
Buffer sample_units(Source& source, std::size_t size, std::uint64_t seed, const Ranks& ranks);

// `size` different numbers below `bound`, in order (Floyd's algorithm).
std::vector<std::uint64_t> choose(std::uint64_t bound, std::size_t size, Random& random);

}  // namespace kullback::conjugate
