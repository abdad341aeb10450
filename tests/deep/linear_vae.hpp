// Autoencoders whose decoder is linear with known Gaussian noise: log p(x) and p(z | x) are Gaussian.
#pragma once

#include <cmath>
#include <map>
#include <numbers>
#include <string>

#include "deep/vae/vae.hpp"

namespace kullback::deep {

struct Parts {
  std::string family = "gaussian";
  std::map<std::string, std::string> family_options = {};
  std::string prior = "gaussian";
  std::map<std::string, std::string> prior_options = {};
};

inline std::unique_ptr<Vae> gaussian_vae(const VaeSpec& spec, const Parts& parts, const std::string& sd) {
  const LatentFamilyRecord* family = find_latent_family(parts.family);
  const LatentPriorRecord* prior = find_latent_prior(parts.prior);
  const DecoderLikelihoodRecord* likelihood = find_decoder_likelihood("gaussian");
  return std::make_unique<Vae>(
      spec, family->make(read_options(family->options, parts.family_options, "a part"), spec),
      likelihood->make(read_options(likelihood->options, {{"noise", sd}}, "a part"), spec),
      prior->make(read_options(prior->options, parts.prior_options, "a part"), spec));
}

// x = weight z + bias + sd e, z ~ N(0, I).
struct LinearDecoder {
  torch::Tensor weight;  // [pixels, latent]
  torch::Tensor bias;    // [pixels]
  double sd = 0.5;

  torch::Tensor precision() const {  // of p(z | x)
    return torch::eye(weight.size(1), weight.options()) + weight.t().mm(weight) / (sd * sd);
  }
  // mean of p(z | x) = map (x - bias)
  torch::Tensor map() const { return at::linalg_solve(precision(), weight.t() / (sd * sd)); }

  torch::Tensor log_likelihood(const torch::Tensor& x) const {
    const torch::Tensor covariance =
        weight.mm(weight.t()) + sd * sd * torch::eye(weight.size(0), weight.options());
    const torch::Tensor away = x - bias;
    const torch::Tensor squares = (away * at::linalg_solve(covariance, away.t()).t()).sum(1);
    const double constant = static_cast<double>(x.size(1)) * std::log(2 * std::numbers::pi);
    return -0.5 * (squares + at::logdet(covariance) + constant);
  }
  // KL from the best independent normals to p(z | x): those with the posterior's means and precisions.
  double mean_field_gap() const {
    const torch::Tensor all = precision();
    return 0.5 * (all.diagonal().log().sum() - at::logdet(all)).item<double>();
  }
  torch::Tensor sample(std::int64_t rows) const {
    const torch::Tensor z = torch::randn({rows, weight.size(1)}, weight.options());
    return z.mm(weight.t()) + bias + sd * torch::randn({rows, weight.size(0)}, weight.options());
  }
};

inline LinearDecoder some_linear_model() {
  return {.weight = torch::tensor({1.0, 0.1, 0.3, 0.8, 0.5, 0.5, 0.9, 0.1}, torch::kFloat64).view({4, 2}),
          .bias = torch::tensor({0.1, -0.2, 0.3, 0.0}, torch::kFloat64)};
}

inline void set(const Vae& vae, torch::Tensor& flat, const std::string& slot, const torch::Tensor& value) {
  const torch::NoGradGuard no_gradient;
  vae.split(flat)[vae.layout().find(slot)][0].copy_(value);
}

inline VaeSpec linear_spec(const LinearDecoder& model) {
  return {.pixels = model.weight.size(0), .latent = model.weight.size(1), .hidden = {}};
}

// The decoder is the model's, and the encoder gives the best independent normals.
inline torch::Tensor exact_parameters(const Vae& vae, const LinearDecoder& model) {
  torch::Tensor flat = torch::zeros({1, vae.layout().size()}, model.weight.options());
  const torch::Tensor map = model.map();
  set(vae, flat, "decoder.1.weight", model.weight);
  set(vae, flat, "decoder.1.bias", model.bias);
  set(vae, flat, "encoder.1.weight", at::cat({map, torch::zeros_like(map)}));
  set(vae, flat, "encoder.1.bias", at::cat({-map.mv(model.bias), -0.5 * model.precision().diagonal().log()}));
  return flat;
}

}  // namespace kullback::deep
