// Binomial(n, p) is the sum over the binary digits of n of Binomial(2^b, p), and p is one number for a row:
// for each digit a short table of distribution functions, in which uniform numbers are looked up.
#include "deep/discrete/binomial.hpp"

namespace kullback::deep::discrete {

namespace {

// P(Binomial(n, p) <= k) for k = 0 .. n - 1, [rows, n].
torch::Tensor distribution(std::int64_t n, const torch::Tensor& chance) {
  const auto all = static_cast<double>(n);
  const torch::Tensor k = torch::arange(n, chance.options());
  const torch::Tensor choose =
      at::lgamma(torch::full_like(k, all + 1)) - at::lgamma(k + 1) - at::lgamma(all + 1 - k);
  const torch::Tensor p = chance.unsqueeze(1);
  return at::exp(choose + at::xlogy(k, p) + at::xlogy(all - k, 1 - p)).cumsum(1);
}

}  // namespace

torch::Tensor draw_binomial(const torch::Tensor& count, const torch::Tensor& chance, std::int64_t most,
                            const Noise& noise) {
  torch::Tensor sum = torch::zeros_like(count);
  for (std::int64_t n = 1; n <= most; n *= 2) {
    const torch::Tensor uniform = noise.uniform(count.sizes(), chance.options(), 0);
    const torch::Tensor part =
        n == 1 ? (uniform < chance.unsqueeze(1)).to(torch::kInt64)
               : at::searchsorted(distribution(n, chance), uniform, /*out_int32=*/false, /*right=*/true);
    sum = sum + part * (at::floor_divide(count, n).remainder(2));
  }
  return sum;
}

}  // namespace kullback::deep::discrete
