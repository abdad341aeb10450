#include "deep/chains/langevin.hpp"

namespace kullback::deep {

void langevin_step(torch::Tensor& x, const torch::Tensor& gradient, const LangevinStep& step,
                   const torch::Tensor& normal) {
  x.sub_(step.size * gradient).add_((2 * step.temperature * step.size).sqrt() * normal);
}

}  // namespace kullback::deep
