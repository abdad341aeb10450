#include "deep/bnn/posteriors/laplace/prior_scale.hpp"

#include <vector>

namespace kullback::deep {

torch::Tensor log_evidence(const torch::Tensor& relative, const torch::Tensor& size, const torch::Tensor& s) {
  // One value of s after the other: there are many eigenvalues.
  std::vector<torch::Tensor> log_determinants;
  for (std::int64_t i = 0; i < s.size(1); ++i)
    log_determinants.push_back(at::log(relative + s.narrow(1, i, 1)).sum(1));
  const auto count = static_cast<double>(relative.size(1));
  return 0.5 * (count * at::log(s) - s * size.unsqueeze(1) - at::stack(log_determinants, 1));
}

torch::Tensor best_prior_scale(const torch::Tensor& relative, const torch::Tensor& size) {
  const torch::NoGradGuard no_gradient;
  constexpr double kLow = -4, kHigh = 4;  // of log10 s
  constexpr std::int64_t kPoints = 17;
  const torch::Tensor values = relative.to(torch::kFloat64), sizes = size.to(torch::kFloat64);
  torch::Tensor middle = torch::zeros({values.size(0), 1}, values.options());
  double half = (kHigh - kLow) / 2;
  // The best of a grid, then of a grid between its neighbours, until the factor is known to 1e-4.
  while (half > 1e-5) {
    const torch::Tensor grid =
        at::clamp(middle + half * torch::linspace(-1, 1, kPoints, values.options()), kLow, kHigh);
    const torch::Tensor best = log_evidence(values, sizes, at::pow(10.0, grid)).argmax(1, true);
    middle = grid.gather(1, best);
    half *= 2.0 / (kPoints - 1);
  }
  return at::pow(10.0, middle.squeeze(1)).to(size.options());
}

}  // namespace kullback::deep
