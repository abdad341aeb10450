// Options of networks that several kinds of model have.
#pragma once

#include "base/option.hpp"
#include "deep/net/net.hpp"

namespace kullback::deep {

constexpr auto activation_option(Activation preset) {
  return ChoiceOption("activation", preset, "identity|relu|leaky-relu|elu|gelu|silu|softplus|tanh|sigmoid",
                      "Of hidden layers");
}
inline constexpr auto kReluActivation = activation_option(Activation::relu);
inline constexpr auto kSiluActivation = activation_option(Activation::silu);

}  // namespace kullback::deep
