// Parts of diffusion models with options by their texts.
#pragma once

#include <string>

#include "deep/diffusion/conditioning/method.hpp"
#include "deep/diffusion/conditioning/operator.hpp"
#include "deep/diffusion/objective.hpp"
#include "deep/diffusion/sampler.hpp"
#include "deep/diffusion/sde.hpp"

namespace kullback::deep::diffusion {

inline auto made_sde(const std::string& name, const GivenTexts& texts) {
  return make_sde(name, read_options(sde_named(name).options, texts, name));
}
inline auto made_objective(const std::string& name, const GivenTexts& texts) {
  return make_objective(name, read_options(objective_named(name).options, texts, name));
}
inline auto made_sampler(const std::string& name, const GivenTexts& texts) {
  return make_sampler(name, read_options(sampler_named(name).options, texts, name));
}
inline auto made_method(const std::string& name, const GivenTexts& texts) {
  return make_method(name, read_options(method_named(name).options, texts, name));
}
inline auto made_operator(const std::string& name, const RowShape& takes, const GivenTexts& texts) {
  return make_operator(name, takes, read_options(operator_named(name).options, texts, name));
}

}  // namespace kullback::deep::diffusion
