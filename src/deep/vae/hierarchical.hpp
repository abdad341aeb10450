// How two stochastic layers share the latent variables of a row.
#pragma once

#include "base/settings.hpp"
#include "deep/vae/conditional.hpp"
#include "deep/vae/spec.hpp"

namespace kullback::deep {

// z = (z1, z2): the decoder sees the `bottom` coordinates of z1; z2 has the `top` others.
struct TwoLayers {
  std::int64_t bottom = 0;
  std::int64_t top = 0;
};

// Options of both the family and the prior, which must agree.
std::vector<Option> two_layers_options();
// Throws Error usage for fewer than two latent variables.
TwoLayers two_layers(const Settings& settings, const VaeSpec& spec);
std::int64_t top_hidden(const Settings& settings);

}  // namespace kullback::deep
