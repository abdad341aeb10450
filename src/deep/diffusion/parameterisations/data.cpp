// F is the data themselves: D = F.
#include "deep/diffusion/parameterisation.hpp"

namespace kullback::deep::diffusion {

extern const ParameterisationRecord k_data;
const ParameterisationRecord k_data = {
    .name = "data", .summary = "The data behind the state", .scaling = [](const Level& at) -> Scaling {
      return {.skip = torch::zeros_like(at.alpha), .out = torch::ones_like(at.alpha)};
    }};

}  // namespace kullback::deep::diffusion
