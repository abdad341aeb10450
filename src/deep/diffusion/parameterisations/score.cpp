// F is the score: D = (z + sigma^2 F) / alpha (Tweedie).
#include "deep/diffusion/parameterisation.hpp"

namespace kullback::deep::diffusion {

extern const ParameterisationRecord k_score;
const ParameterisationRecord k_score = {
    .name = "score", .summary = "The score of the state", .scaling = [](const Level& at) -> Scaling {
      return {.skip = 1 / at.alpha, .out = at.sigma.square() / at.alpha};
    }};

}  // namespace kullback::deep::diffusion
