// Inside stats: chains cut in halves, the form in which R-hat and effective sample sizes are computed.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "stats/chains.hpp"

namespace kullback::stats {

// Draw i of half h is values[i * halves + h]: a sum over all halves of products at lag t is then one dot
// product of the values with themselves, t * halves apart.
struct Halves {
  std::vector<double> values;
  std::size_t halves = 0;
  std::size_t draws = 0;
};

inline constexpr std::size_t kDropped = static_cast<std::size_t>(-1);
inline constexpr std::size_t kMinDraws = 4;

// Where values of chains go. The middle draw of a chain of odd length is in no half.
class Cut final {
 public:
  explicit Cut(const Chains& chains)
      : draws_(chains.draws), half_(chains.draws / 2), halves_(2 * chains.chains) {}

  std::size_t position(std::size_t chain, std::size_t draw) const {
    if (draw < half_) return draw * halves_ + 2 * chain;
    if (draw >= draws_ - half_) return (draw - (draws_ - half_)) * halves_ + 2 * chain + 1;
    return kDropped;
  }
  Halves empty() const { return {std::vector<double>(half_ * halves_), halves_, half_}; }

 private:
  std::size_t draws_;
  std::size_t half_;
  std::size_t halves_;
};

// transform(value) of each draw.
template <typename Transform>
Halves cut(const Chains& chains, const Transform& transform) {
  Halves result = Cut(chains).empty();
  const std::size_t last = chains.draws - result.draws;
  for (std::size_t chain = 0; chain < chains.chains; ++chain) {
    const double* draws = chains.values.data() + chain * chains.draws;
    double* to = result.values.data() + 2 * chain;
    for (std::size_t i = 0; i < result.draws; ++i, to += result.halves) {
      to[0] = transform(draws[i]);
      to[1] = transform(draws[last + i]);
    }
  }
  return result;
}

// The values, less the first of them: nothing here depends on the origin, and sums lose fewer digits.
Halves cut(const Chains& chains);

// The halves less their means, and what the means tell.
struct Centred {
  Halves halves;
  double variance_of_means = 0;  // with halves - 1
  double variance_within = 0;    // mean over halves, with draws - 1
};
Centred center(Halves halves);

double rhat_of(const Centred& centred);
double ess_of(const Centred& centred);

// But for rounding: a quantity that ought to be constant (the diagonal of a correlation matrix) often is so
// only up to that. At least one value.
bool is_constant(std::span<const double> values);
// Finite, not constant, of the size they say, and long enough for halves.
bool are_usable(const Chains& chains);

}  // namespace kullback::stats
