#include "deep/diffusion/sdes/growing_noise.hpp"

#include "base/error.hpp"
#include "base/filled.hpp"

namespace kullback::deep::diffusion {

SigmaRange sigma_range(const Settings& settings, const std::string& example) {
  const SigmaRange sigma{.low = settings.positive("sigma-min"), .high = settings.positive("sigma-max")};
  if (sigma.high <= sigma.low)
    throw Error(ErrorKind::usage,
                filled("--sigma-min {} is not below --sigma-max {}.", sigma.low, sigma.high),
                filled("Noise must grow: {}.", example));
  return sigma;
}

}  // namespace kullback::deep::diffusion
