#include "deep/vae/refine.hpp"

#include <torch/csrc/autograd/autograd.h>

#include "base/error.hpp"

namespace kullback::deep {

namespace {

torch::Tensor slope(const torch::Tensor& bound, const torch::Tensor& outputs, bool keeps_graph,
                    bool creates_graph) {
  return torch::autograd::grad({bound.sum()}, {outputs}, {}, keeps_graph, creates_graph)[0];
}

torch::Tensor clipped(const torch::Tensor& gradient, double longest) {
  const torch::Tensor length = at::sqrt(gradient.square().sum(1, true) + 1e-20);
  return gradient * (longest / length).clamp_max(1);
}

}  // namespace

torch::Tensor elbo_at(const Pass& pass, const torch::Tensor& outputs, std::int64_t samples) {
  const auto q = pass.vae.family().at(pass.parameters, outputs, pass.mode);
  const Terms terms = pass.terms(*q, {.samples = samples, .closed_kl = true});
  if (terms.penalty.defined()) {
    throw Error(ErrorKind::usage, "vector-quantised latent variables cannot be refined.",
                "Choose --objective vae.");
  }
  return terms.kl.defined() ? terms.log_likelihood.mean(0) - terms.kl : terms.log_weight().mean(0);
}

torch::Tensor refine(const Pass& pass, const torch::Tensor& outputs, const Refinement& how) {
  const at::AutoGradMode with_gradient(true);
  const bool through = how.is_through;
  torch::Tensor now = through ? outputs : outputs.detach().requires_grad_();
  torch::Tensor speed = torch::zeros_like(outputs).detach();
  for (std::int64_t i = 0; i < how.steps; ++i) {
    const torch::Tensor gradient = slope(elbo_at(pass, now, how.samples), now, through, through);
    speed = how.momentum * speed + clipped(gradient, how.clip);
    now = now + how.rate * speed;
    if (!through) now = now.detach().requires_grad_();
  }
  return through ? now : now.detach();
}

Iterates iterate(const Pass& pass, const torch::Tensor& outputs, std::int64_t steps, std::int64_t samples) {
  const auto* family = dynamic_cast<const RefiningFamily*>(&pass.vae.family());
  if (family == nullptr) {
    throw Error(ErrorKind::usage, "iterative refinement needs a family with a network for it.",
                "Give --posterior iterative.");
  }
  const at::AutoGradMode with_gradient(true);
  Iterates result;
  torch::Tensor now = outputs.requires_grad() ? outputs : outputs.detach().requires_grad_();
  for (std::int64_t i = 0; i <= steps; ++i) {
    result.outputs.push_back(now);
    result.bounds.push_back(elbo_at(pass, now, samples));
    if (i == steps) break;
    const torch::Tensor gradient = slope(result.bounds.back(), now, true, false);
    now = family->refined(pass.parameters, now.detach(), gradient.detach());
    if (!now.requires_grad()) now.requires_grad_();
  }
  return result;
}

}  // namespace kullback::deep
