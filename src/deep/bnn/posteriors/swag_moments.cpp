// Maddox, Garipov, Izmailov, Vetrov, Wilson 2019, algorithm 1: after n points, mean <- (n mean + x) / (n +
// 1), the same of squares, a deviation x - mean (with the new mean) replaces the oldest. Draws are mean +
// sqrt(variance) z1 / sqrt(2) + D z2 / sqrt(2 (K - 1)).
#include "deep/bnn/posteriors/swag_moments.hpp"

#include <algorithm>
#include <cmath>

namespace kullback::deep {

SwagMoments::SwagMoments(const torch::Tensor& flat, std::int64_t rank)
    : mean_(torch::zeros_like(flat)),
      squares_(torch::zeros_like(flat)),
      deviations_(torch::zeros({flat.size(0), rank, flat.size(1)}, flat.options())),
      count_(torch::zeros({1}, torch::kInt64)) {}

void SwagMoments::collect(const torch::Tensor& flat) {
  const torch::NoGradGuard no_gradient;
  const std::int64_t before = count_.data_ptr<std::int64_t>()[0]++;
  const double weight = 1 / static_cast<double>(before + 1);
  mean_.lerp_(flat, weight);
  squares_.lerp_(flat.square(), weight);
  deviations_.select(1, before % deviations_.size(1)).copy_(flat - mean_);
}

torch::Tensor SwagMoments::draw(const torch::Tensor& normal, const torch::Tensor& low_rank_normal,
                                double scale) const {
  const torch::NoGradGuard no_gradient;
  const std::int64_t columns = std::min(count(), deviations_.size(1));
  if (columns < 2) return mean_.unsqueeze(1).expand_as(normal);
  const torch::Tensor sd = at::clamp_min(squares_ - mean_.square(), 0).sqrt();
  const torch::Tensor low_rank =
      low_rank_normal.narrow(2, 0, columns).matmul(deviations_.narrow(1, 0, columns));
  const double half = std::sqrt(scale / 2);
  return mean_.unsqueeze(1) + half * sd.unsqueeze(1) * normal +
         (half / std::sqrt(static_cast<double>(columns - 1))) * low_rank;
}

void SwagMoments::visit(const VisitTensor& visit) {
  visit("swag.mean", mean_);
  visit("swag.squares", squares_);
  visit("swag.deviations", deviations_);
  visit("swag.count", count_);
}

}  // namespace kullback::deep
