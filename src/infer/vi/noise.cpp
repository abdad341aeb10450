#include "infer/vi/noise.hpp"

#include <string>

#include "base/error.hpp"
#include "base/random.hpp"
#include "infer/vi/sobol.hpp"
#include "stats/normal_scores.hpp"

namespace kullback::infer {

Sampling sampling_of(std::string_view name) {
  if (name == "iid") return Sampling::iid;
  if (name == "antithetic") return Sampling::antithetic;
  if (name == "sobol") return Sampling::sobol;
  throw Error(ErrorKind::usage, "--sampling: found '" + std::string(name) + "'.",
              "The choices are iid, antithetic, sobol.");
}

void NoiseSource::fill(std::uint32_t index, std::size_t lanes, double* noise) const {
  if (sampling_ == Sampling::sobol) return fill_sobol(index, 0, lanes, noise);
  Random random(name_.seed, name_.chain, name_.purpose, index);
  const std::size_t drawn = sampling_ == Sampling::antithetic ? (lanes + 1) / 2 : lanes;
  for (std::size_t k = 0; k < drawn; ++k) {
    for (std::size_t i = 0; i < size_; ++i) noise[i * lanes + k] = scale_ * random.normal();
  }
  for (std::size_t k = drawn; k < lanes; ++k) {
    for (std::size_t i = 0; i < size_; ++i) noise[i * lanes + k] = -noise[i * lanes + k - drawn];
  }
}

void NoiseSource::fill_part(std::uint64_t first, std::size_t lanes, double* noise) const {
  if (sampling_ == Sampling::sobol) return fill_sobol(0, first, lanes, noise);
  fill(static_cast<std::uint32_t>(first), lanes, noise);
}

void NoiseSource::fill_sobol(std::uint32_t index, std::uint64_t first, std::size_t lanes,
                             double* noise) const {
  Random random(name_.seed, name_.chain, name_.purpose, index);
  ScrambledSobol(size_, random).fill(first, lanes, noise);
  for (std::size_t i = 0; i < size_ * lanes; ++i) noise[i] = scale_ * stats::normal_quantile(noise[i]);
}

}  // namespace kullback::infer
