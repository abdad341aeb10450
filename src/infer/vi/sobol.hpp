// Scrambled Sobol points: random sets of which each is uniform and all together are evenly spread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kullback {
class Random;
}

namespace kullback::infer {

class ScrambledSobol final {
 public:
  // Coordinates beyond the tables (some thousands) are independent uniform numbers.
  ScrambledSobol(std::size_t dim, Random& random);

  // Points [first, first + count) of the sequence, in (0, 1): coordinate i of point k at [i * count + k].
  void fill(std::uint64_t first, std::size_t count, double* result) const;

 private:
  std::uint32_t scramble(std::size_t coordinate, std::uint32_t digits) const;

  std::size_t dim_;                     // of the tables, at most
  std::size_t more_;                    // coordinates beyond
  std::vector<std::uint32_t> columns_;  // 32 of each coordinate: images of the bits, highest first
  std::vector<std::uint32_t> shifts_;
  std::uint64_t seed_;  // of the coordinates beyond
};

}  // namespace kullback::infer
