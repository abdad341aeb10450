#include "deep/bnn/posteriors/kept_draws.hpp"

#include <cmath>

namespace kullback::deep {

KeptDraws::KeptDraws(const torch::Tensor& flat, std::int64_t most)
    : most_(most),
      draws_(torch::zeros({flat.size(0), most, flat.size(1)}, flat.options())),
      state_(torch::zeros({2}, torch::kInt64)) {}

void KeptDraws::offer(const torch::Tensor& flat, double clock) {
  const torch::NoGradGuard no_gradient;
  auto* state = state_.data_ptr<std::int64_t>();
  const auto passed = static_cast<std::int64_t>(std::floor(clock * static_cast<double>(most_) + 1e-9));
  if (passed <= state[1] || state[0] == most_) return;
  draws_.select(1, state[0]).copy_(flat);
  ++state[0];
  state[1] = passed;
}

std::int64_t KeptDraws::count() const { return state_.data_ptr<std::int64_t>()[0]; }

torch::Tensor KeptDraws::take(const torch::Tensor& flat, std::int64_t draws) const {
  const std::int64_t kept = count();
  if (kept == 0) return flat.unsqueeze(1);
  if (draws >= kept) return draws_.narrow(1, 0, kept);
  // The middles of `draws` equal parts.
  const torch::Tensor index = (2 * torch::arange(draws, torch::kInt64) + 1) * kept;
  return draws_.index_select(1, at::floor_divide(index, 2 * draws).to(draws_.device()));
}

void KeptDraws::visit(const VisitTensor& visit) {
  visit("draws", draws_);
  visit("draws.state", state_);
}

}  // namespace kullback::deep
