#include "deep/diffusion/fit/strip.hpp"

#include <algorithm>

namespace kullback::deep::diffusion {

void Strip::see(std::int64_t done, std::int64_t steps, const torch::Tensor& state) {
  if (states_ == 0 || steps == 0) return;
  const std::int64_t next = (static_cast<std::int64_t>(kept_.size()) + 1) * steps / states_;
  if (done < next) return;
  kept_.push_back(
      state.narrow(1, 0, dims_).narrow(0, 0, std::min<std::int64_t>(state.size(0), 8)).cpu().clone());
}

torch::Tensor Strip::states() const { return kept_.empty() ? torch::Tensor() : at::stack(kept_); }

}  // namespace kullback::deep::diffusion
