// Small autoencoders for tests, in double precision.
#pragma once

#include <torch/types.h>

#include <map>
#include <memory>
#include <string>

#include "deep/train/sum_over_ranks.hpp"
#include "deep/vae/objective.hpp"
#include "deep/vae/vae.hpp"

namespace kullback::deep {

using Words = std::map<std::string, std::string>;

struct ToyVae {
  VaeSpec spec = {.pixels = 6, .latent = 2, .hidden = {5}, .activation = Activation::tanh};
  std::string family = "gaussian";
  Words family_options = {};
  std::string decoder = "bernoulli";
  Words decoder_options = {};
  std::string prior = "gaussian";
  Words prior_options = {};

  Vae make() const {
    const auto* a = find_latent_family(family);
    const auto* b = find_decoder_likelihood(decoder);
    const auto* c = find_latent_prior(prior);
    VaeSpec with = spec;
    with.has_unit_range = b->needs_unit_range;
    return Vae(with, a->make(read_options(a->options, family_options, "a part"), with),
               b->make(read_options(b->options, decoder_options, "a part"), with),
               c->make(read_options(c->options, prior_options, "a part"), with));
  }
};

// Its encoder only begins what refining steps finish, so that its bound before them says little:
// vae_parts_test.cpp.
inline bool refines(const VaeObjectiveRecord& record) {
  return record.name == "semi-amortised" || record.name == "iterative";
}

inline std::unique_ptr<VaeObjective> make_objective(const std::string& name, const Words& options = {}) {
  const auto* record = find_vae_objective(name);
  return record->make(read_options(record->options, options, "a part"), {});
}

inline torch::Tensor toy_bits(std::int64_t rows, std::int64_t pixels, std::uint64_t seed = 5) {
  at::manual_seed(seed);
  return (torch::rand({rows, pixels}, torch::kFloat64) < 0.4).to(torch::kFloat64);
}

inline ObjectiveLoss loss_at(const Vae& vae, const VaeObjective& objective, const Parameters& parameters,
                             const torch::Tensor& x, std::uint64_t seed, double progress = 1,
                             const torch::Tensor& label = {}) {
  at::manual_seed(seed);
  return objective.loss({.vae = vae,
                         .parameters = parameters,
                         .x = x,
                         .label = label,
                         .progress = torch::full({}, progress, torch::kFloat64),
                         .noise = Noise()});
}

}  // namespace kullback::deep
