// Variational inference in a few lines of LibTorch: the rate of Poisson counts has a gamma prior, so its
// posterior is a gamma distribution that is known, and a fitted one can be held against it.
#include <cstdio>

#include "dist/dist.hpp"

namespace dist = kullback::dist;

int main() {
  at::manual_seed(1);
  const auto counts = at::tensor({3, 0, 2, 4, 1, 1, 5, 2}, at::kDouble);
  const dist::Gamma prior(2.0, at::ones({}, at::kDouble));

  // log concentration and log rate of the approximation
  auto theta = at::zeros({2}, at::kDouble).requires_grad_();
  for (int step = 1; step <= 2000; ++step) {
    const dist::Gamma q(theta[0].exp(), theta[1].exp());
    const auto rate = q.rsample({64});
    const auto log_joint = prior.log_prob(rate) + dist::Poisson(rate.unsqueeze(-1)).log_prob(counts).sum(-1);
    // q held fixed in its density: no noise is left where q is the posterior
    const auto bound = (log_joint - q.detach()->log_prob(rate)).mean();
    bound.backward();
    const at::NoGradGuard no_gradient;
    theta += 0.02 * theta.grad();
    theta.mutable_grad().zero_();
  }

  const dist::Gamma q(theta[0].exp(), theta[1].exp());
  const dist::Gamma exact(prior.concentration() + counts.sum(), prior.rate() + counts.size(0));
  std::printf("mean  fitted %.3f  exact %.3f\n", q.mean().item<double>(), exact.mean().item<double>());
  std::printf("sd    fitted %.3f  exact %.3f\n", q.stddev().item<double>(), exact.stddev().item<double>());
  std::printf("KL    %.5f\n", dist::kl_divergence(q, exact).item<double>());
}
