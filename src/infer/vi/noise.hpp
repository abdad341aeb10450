// The standard normal numbers that draws of a family are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "infer/noise_name.hpp"

namespace kullback::infer {

enum class Sampling : unsigned char {
  iid,
  antithetic,  // lane k + lanes / 2 has the negative noise of lane k
  sobol,       // a scrambled low-discrepancy set: errors of means fall almost as 1 / lanes
};

// Throws Error usage that lists the names.
Sampling sampling_of(std::string_view name);

// Noise is named by an index, an iteration say: the same index gives the same numbers.
class NoiseSource final {
 public:
  NoiseSource(NoiseName name, Sampling sampling, std::size_t size)
      : name_(name), sampling_(sampling), size_(size) {}

  const NoiseName& name() const { return name_; }
  Sampling sampling() const { return sampling_; }
  std::size_t size() const { return size_; }  // numbers of one draw
  // The same numbers times a factor.
  NoiseSource scaled(double factor) const {
    NoiseSource result = *this;
    result.scale_ *= factor;
    return result;
  }
  // size() * lanes numbers, lanes innermost. An odd number of antithetic lanes leaves one without its mate.
  void fill(std::uint32_t index, std::size_t lanes, double* noise) const;
  // Draws [first, first + lanes) of one long set: of Sobol's, a part of one sequence.
  void fill_part(std::uint64_t first, std::size_t lanes, double* noise) const;

 private:
  void fill_sobol(std::uint32_t index, std::uint64_t first, std::size_t lanes, double* noise) const;

  NoiseName name_;
  Sampling sampling_;
  std::size_t size_;
  double scale_ = 1;
};

}  // namespace kullback::infer
