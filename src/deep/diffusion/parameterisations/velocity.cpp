// F is the velocity alpha n - sigma x of z = alpha x + sigma n (Salimans, Ho 2022): D = (alpha z - sigma F) /
// (alpha^2 + sigma^2).
#include "deep/diffusion/parameterisation.hpp"

namespace kullback::deep::diffusion {

extern const ParameterisationRecord k_velocity;
const ParameterisationRecord k_velocity = {.name = "velocity",
                                           .summary = "Noise times alpha less data times sigma",
                                           .scaling = [](const Level& at) -> Scaling {
                                             return {
                                                 .skip = at.alpha / (at.alpha.square() + at.sigma.square()),
                                                 .out = -at.sigma / (at.alpha.square() + at.sigma.square())};
                                           }};

}  // namespace kullback::deep::diffusion
