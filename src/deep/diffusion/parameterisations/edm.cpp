// Karras et al. 2022 with data of variance 1, at z / alpha with the noise r = sigma / alpha: skip 1 / (1 +
// r^2), out r / sqrt(1 + r^2).
#include "deep/diffusion/parameterisation.hpp"

namespace kullback::deep::diffusion {

extern const ParameterisationRecord k_edm_preconditioning;
const ParameterisationRecord k_edm_preconditioning = {
    .name = "edm",
    .summary = "What remains after the best linear guess, at unit variance",
    .scaling = [](const Level& at) -> Scaling {
      return {.skip = at.alpha / (at.alpha.square() + at.sigma.square()),
              .out = at.sigma / (at.alpha.square() + at.sigma.square()).sqrt()};
    }};

}  // namespace kullback::deep::diffusion
