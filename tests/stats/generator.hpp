// Draws for tests, the same to the last bit in make_references.py: a linear congruential generator and
// arithmetic that IEEE 754 fixes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace kullback::stats::test {

class Lcg final {
 public:
  explicit Lcg(std::uint64_t seed) : state_(seed) {}
  // In (0, 1): the upper 52 bits, and a half.
  double uniform() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return (static_cast<double>(state_ >> 12) + 0.5) * 0x1p-52;
  }
  // Mean 0, variance 1, nearly normal.
  double bell() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return sum;
  }
  // Both tails of index 1: no mean.
  double heavy() {
    const double u = uniform();
    return uniform() < 0.5 ? 1 - 1 / u : 1 / u - 1;
  }

 private:
  std::uint64_t state_;
};

struct Sample {
  std::vector<double> values;
  std::size_t chains = 0;
  std::size_t draws = 0;
};

// x_i = correlation x_{i-1} + e_i from x_{-1} = 0; then center + c shift + (1 + c spread) x_i + i drift in
// chain c.
struct Recipe {
  double correlation = 0;
  double center = 0;
  double shift = 0;
  double spread = 0;
  double drift = 0;
  const char* noise = "bell";  // "bell", "heavy", "binary" (0 or 1), "integer" (floor of 2 bells), "stuck"
                               // (bell, but chain 0 stays at 0.25)
};

inline double noise(Lcg& random, const std::string& kind, std::size_t chain) {
  if (kind == "heavy") return random.heavy();
  if (kind == "binary") return random.uniform() < 0.3 ? 1.0 : 0.0;
  const double bell = random.bell();
  if (kind == "stuck") return chain == 0 ? 0.25 : bell;
  if (kind == "integer") return static_cast<double>(static_cast<long>(2 * bell + 100) - 100);
  return bell;
}

inline Sample sample(const Recipe& recipe, std::size_t chains, std::size_t draws, std::uint64_t seed) {
  Sample result{{}, chains, draws};
  Lcg random(seed);
  for (std::size_t c = 0; c < chains; ++c) {
    const double chain = static_cast<double>(c);
    double x = 0;
    for (std::size_t i = 0; i < draws; ++i) {
      x = recipe.correlation * x + noise(random, recipe.noise, c);
      const double scaled = (1 + chain * recipe.spread) * x;
      const double placed = recipe.center + chain * recipe.shift + scaled;
      result.values.push_back(placed + static_cast<double>(i) * recipe.drift);
    }
  }
  return result;
}

}  // namespace kullback::stats::test
