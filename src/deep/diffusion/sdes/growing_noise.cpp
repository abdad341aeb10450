#include "deep/diffusion/sdes/growing_noise.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace kullback::deep::diffusion {

SigmaRange sigma_range(const Settings& settings, const std::string& example) {
  const SigmaRange sigma{.low = settings.positive("sigma-min"), .high = settings.positive("sigma-max")};
  if (sigma.high <= sigma.low)
    throw Error(ErrorKind::usage,
                fmt::format("--sigma-min {} is not below --sigma-max {}.", sigma.low, sigma.high),
                fmt::format("Noise must grow: {}.", example));
  return sigma;
}

}  // namespace kullback::deep::diffusion
