// F is the noise (z - alpha x) / sigma: D = (z - sigma F) / alpha (Ho et al. 2020).
#include "deep/diffusion/parameterisation.hpp"

namespace kullback::deep::diffusion {

extern const ParameterisationRecord k_noise;
const ParameterisationRecord k_noise = {
    .name = "noise", .summary = "The noise in the state", .scaling = [](const Level& at) -> Scaling {
      return {.skip = 1 / at.alpha, .out = -at.sigma / at.alpha};
    }};

}  // namespace kullback::deep::diffusion
