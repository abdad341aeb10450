// How two stochastic layers share the latent variables of a row.
#pragma once

#include "base/option.hpp"
#include "deep/vae/conditional.hpp"
#include "deep/vae/spec.hpp"

namespace kullback::deep {

// z = (z1, z2): the decoder sees the `bottom` coordinates of z1; z2 has the `top` others.
struct TwoLayers {
  std::int64_t bottom = 0;
  std::int64_t top = 0;
};

// Options of both the family and the prior, which must agree.
inline constexpr auto kTopLatent =
    CountOption(
        "top_latent",
        "Latent variables of the upper of two layers, of those in --latent (default: a third of them)")
        .from(1);
inline constexpr auto kTopHidden =
    CountOption("top_hidden", 100, "Units of the networks between the two layers of latent variables")
        .from(1)
        .to(100'000);
inline constexpr const OptionRecord* kTwoLayersOptions[] = {&kTopLatent, &kTopHidden};
// Throws Error usage for fewer than two latent variables.
TwoLayers two_layers(const OptionValues& values, const VaeSpec& spec);

}  // namespace kullback::deep
