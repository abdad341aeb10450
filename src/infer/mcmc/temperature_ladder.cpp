#include "infer/mcmc/temperature_ladder.hpp"

#include <algorithm>

namespace kullback::infer {

namespace {

constexpr double kLeastRejection = 1e-3;  // keeps the barrier increasing

}  // namespace

std::vector<double> first_ladder(std::size_t count) {
  std::vector<double> betas(count, 1.0);
  for (std::size_t k = 0; k + 1 < count; ++k) {
    const double part = static_cast<double>(k) / static_cast<double>(count - 1);
    betas[k] = part * part * part;
  }
  return betas;
}

void place_temperatures(std::span<double> betas, std::span<const double> rejections) {
  const std::vector<double> old(betas.begin(), betas.end());
  std::vector<double> barrier{0.0};
  for (const double rate : rejections) barrier.push_back(barrier.back() + std::max(rate, kLeastRejection));
  std::size_t gap = 0;
  for (std::size_t k = 1; k + 1 < betas.size(); ++k) {
    const double wanted = barrier.back() * static_cast<double>(k) / static_cast<double>(betas.size() - 1);
    while (barrier[gap + 1] < wanted) ++gap;
    const double part = (wanted - barrier[gap]) / (barrier[gap + 1] - barrier[gap]);
    betas[k] = old[gap] + part * (old[gap + 1] - old[gap]);
  }
}

}  // namespace kullback::infer
