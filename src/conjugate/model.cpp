#include "conjugate/model.hpp"

#include <algorithm>
#include <numeric>

#include "base/random.hpp"

namespace kullback::conjugate {

double total(const Terms& terms) {
  double sum = 0;
  for (const auto& [name, value] : terms) sum += value;
  return sum;
}

void ExactMover::move(std::size_t, std::span<double> natural, std::span<const double> target, const Inside&) {
  std::copy(target.begin(), target.end(), natural.begin());
}

void Model::sample_minibatch(const Batch& all, std::size_t size, Random& random, Buffer& into) const {
  size = std::min(size, all.units);
  const double weight = static_cast<double>(all.units) / static_cast<double>(size);
  // Floyd's algorithm: a uniform subset in `size` steps and as much memory.
  std::vector<std::size_t> chosen;
  chosen.reserve(size);
  for (std::size_t last = all.units - size; last < all.units; ++last) {
    const auto candidate = static_cast<std::size_t>(random.below(last + 1));
    const auto at = std::lower_bound(chosen.begin(), chosen.end(), candidate);
    if (at != chosen.end() && *at == candidate) {
      chosen.push_back(last);  // larger than all others
    } else {
      chosen.insert(at, candidate);
    }
  }
  for (const std::size_t unit : chosen) into.add(all, unit, weight);
}

}  // namespace kullback::conjugate
