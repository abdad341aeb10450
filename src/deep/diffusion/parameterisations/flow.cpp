// F is the velocity n - x of the straight path z = (1 - t) x + t n (Lipman et al. 2023); of another path,
// with alpha and sigma for 1 - t and t: D = (z - sigma F) / (alpha + sigma).
#include "deep/diffusion/parameterisation.hpp"

namespace kullback::deep::diffusion {

extern const ParameterisationRecord k_flow_velocity;
const ParameterisationRecord k_flow_velocity = {.name = "flow",
                                                .summary = "The velocity of the path from data to noise",
                                                .scaling = [](const Level& at) -> Scaling {
                                                  return {.skip = 1 / (at.alpha + at.sigma),
                                                          .out = -at.sigma / (at.alpha + at.sigma)};
                                                }};

}  // namespace kullback::deep::diffusion
