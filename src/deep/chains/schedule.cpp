#include "deep/chains/schedule.hpp"

#include <cmath>

namespace kullback::deep {

std::vector<double> sigmoid_schedule(std::int64_t count) {
  constexpr double kSteepness = 4;
  const auto sigmoid = [](double t) { return 1 / (1 + std::exp(-t)); };
  const double low = sigmoid(-kSteepness), high = sigmoid(kSteepness);
  std::vector<double> result;
  for (std::int64_t i = 0; i <= count; ++i) {
    const double t = kSteepness * (2 * static_cast<double>(i) / static_cast<double>(count) - 1);
    result.push_back((sigmoid(t) - low) / (high - low));
  }
  result.front() = 0;
  result.back() = 1;
  return result;
}

}  // namespace kullback::deep
