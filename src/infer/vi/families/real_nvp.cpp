// Real-valued non-volume-preserving flows: coupling layers that scale and shift.
#include "infer/vi/flows/coupling.hpp"
#include "infer/vi/options.hpp"

namespace kullback::infer {

namespace {

constexpr const OptionRecord* kOptions[] = {&option::kLayers, &option::kHidden};
constexpr std::size_t kLayers = 6;

std::unique_ptr<Family> make(const FamilySetting& setting) {
  const std::size_t hidden =
      flows::chosen((*setting.options)[option::kHidden], flows::fitting_hidden(setting.dim));
  flows::Layers layers;
  for (auto& moves :
       flows::moves_of_layers(setting.dim, flows::chosen((*setting.options)[option::kLayers], kLayers)))
    layers.push_back(std::make_unique<flows::Coupling>(std::move(moves), hidden, flows::make_scale_shift()));
  return flows::make_flow(setting.dim, std::move(layers));
}

}  // namespace

const FamilyRecord& real_nvp_family() {
  static const FamilyRecord record{
      .name = "realnvp",
      .summary = "a flow that scales and shifts half of the coordinates by functions of the others",
      .citation = "Dinh, Sohl-Dickstein and Bengio (2017), Density estimation using Real NVP, ICLR.",
      .options = kOptions,
      .is_affine = true,
      .make = make,
  };
  return record;
}

}  // namespace kullback::infer
