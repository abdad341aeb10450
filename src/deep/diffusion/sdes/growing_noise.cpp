#include "deep/diffusion/sdes/growing_noise.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace kullback::deep::diffusion {

SigmaRange sigma_range(const OptionValues& values, const NumberOption& low, const NumberOption& high) {
  const SigmaRange sigma{.low = values[low], .high = values[high]};
  if (sigma.high <= sigma.low)
    throw Error(ErrorKind::usage,
                fmt::format("--sigma-min {} is not below --sigma-max {}.", sigma.low, sigma.high),
                fmt::format("Noise must grow: {} and {}.", low.fallback, high.fallback));
  return sigma;
}

}  // namespace kullback::deep::diffusion
