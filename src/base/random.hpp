// Counter-based random numbers: Philox 4x32-10 (Salmon, Moraes, Dror, Shaw 2011). A stream is named by (seed,
// chain, purpose, index), so that draws depend neither on threads nor on how work is divided.
#pragma once

#include <cstdint>

namespace kullback {

// The generator itself: four random words from a counter and a key.
void philox_4x32_10(const std::uint32_t (&counter)[4], const std::uint32_t (&key)[2],
                    std::uint32_t (&result)[4]);

class Random final {
 public:
  using result_type = std::uint64_t;  // a uniform random bit generator of the standard library

  explicit Random(std::uint64_t seed, std::uint32_t chain = 0, std::uint32_t purpose = 0,
                  std::uint32_t index = 0);

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~result_type{0}; }
  result_type operator()();

  double uniform();                          // in (0, 1): never 0, never 1
  double normal();                           // standard normal
  double exponential();                      // rate 1
  double gamma(double shape);                // scale 1, shape > 0
  std::uint64_t below(std::uint64_t bound);  // uniform on 0..bound-1, without bias

 private:
  void refill();

  std::uint32_t key_[2];
  std::uint32_t counter_[4];
  std::uint32_t block_[4];
  int used_ = 4;
};

}  // namespace kullback
