#include "conjugate/model.hpp"

#include <algorithm>

#include "base/random.hpp"
#include "conjugate/minibatch.hpp"

namespace kullback::conjugate {

double total(const Terms& terms) {
  double sum = 0;
  for (const auto& [name, value] : terms) sum += value;
  return sum;
}

void ExactMover::move(std::size_t, std::span<double> natural, std::span<const double> target, const Inside&) {
  std::copy(target.begin(), target.end(), natural.begin());
}

void Model::sample_minibatch(const Batch& shard, std::uint64_t total, std::size_t size, Random& random,
                             Buffer& into) const {
  const std::vector<std::uint64_t> chosen = choose(total, size, random);
  const double weight = static_cast<double>(total) / static_cast<double>(chosen.size());
  for (const std::uint64_t unit : chosen) {
    if (unit >= shard.first && unit < shard.first + shard.units) {
      into.add(shard, static_cast<std::size_t>(unit - shard.first), weight);
    }
  }
}

}  // namespace kullback::conjugate
