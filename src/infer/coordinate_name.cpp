#include "infer/coordinate_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace kullback::infer {

namespace {

constexpr const char* kSpace = " (unconstrained)";
constexpr std::size_t kNamed = 3;
constexpr double kMinor = 0.1;  // of the largest component: what is smaller is not named

std::string bare_name(const density::LogDensity& density, std::size_t coordinate) {
  for (const density::Block& block : density.blocks()) {
    if (coordinate < block.first || coordinate >= block.first + block.size) continue;
    return block.size == 1 ? block.name : fmt::format("{}[{}]", block.name, coordinate - block.first + 1);
  }
  return fmt::format("theta[{}]", coordinate + 1);
}

}  // namespace

std::string coordinate_name(const density::LogDensity& density, std::size_t coordinate) {
  return bare_name(density, coordinate) + kSpace;
}

std::string direction_name(const density::LogDensity& density, std::span<const double> direction) {
  std::vector<std::size_t> order(direction.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t candidates = std::min(kNamed, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(candidates), order.end(),
                    [&](std::size_t a, std::size_t b) {
                      const double size_a = std::abs(direction[a]);
                      const double size_b = std::abs(direction[b]);
                      return size_a != size_b ? size_a > size_b : a < b;
                    });
  std::string names;
  for (std::size_t n = 0; n < candidates; ++n) {
    if (n > 0 && std::abs(direction[order[n]]) < kMinor * std::abs(direction[order[0]])) break;
    names += (n > 0 ? ", " : "") + bare_name(density, order[n]);
  }
  return names + kSpace;
}

}  // namespace kullback::infer
