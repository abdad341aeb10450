// Normalising flows as a family: theta = m + L f_n(... f_1(z)), z standard normal, m and L learnt too.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "infer/vi/family.hpp"
#include "infer/vi/flows/layer.hpp"
#include "infer/vi/options.hpp"

namespace kullback::infer::flows {

using Layers = std::vector<std::unique_ptr<Layer>>;

// L is lower triangular up to some hundreds of coordinates, diagonal beyond.
std::unique_ptr<Family> make_flow(std::size_t dim, Layers layers);

// As many layers of one kind as the user says, else `fitting`; each is made from the dimension alone.
template <class Kind, std::size_t fitting>
std::unique_ptr<Family> make_flow_of(const FamilySetting& setting) {
  Layers layers((*setting.options)[option::kLayers] == 0 ? fitting : (*setting.options)[option::kLayers]);
  for (auto& layer : layers) layer = std::make_unique<Kind>(setting.dim);
  return make_flow(setting.dim, std::move(layers));
}

// An option of flows, or what fits where it is 0.
inline std::size_t chosen(std::size_t given, std::size_t fitting) { return given == 0 ? fitting : given; }
// Hidden units of the nets of flows where the user does not say.
inline std::size_t fitting_hidden(std::size_t dim) { return dim <= 32 ? 32 : 64; }

}  // namespace kullback::infer::flows
