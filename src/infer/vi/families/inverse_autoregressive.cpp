// Inverse autoregressive flows: each coordinate is scaled and shifted by functions of those before it, in
// layers that take the coordinates in alternating orders.
#include <algorithm>

#include "infer/vi/flows/autoregressive.hpp"
#include "infer/vi/flows/flow.hpp"
#include "infer/vi/options.hpp"

namespace kullback::infer {

namespace {

constexpr const OptionRecord* kOptions[] = {&option::kLayers, &option::kHidden};
constexpr std::size_t kLayers = 4;

std::unique_ptr<Family> make(const FamilySetting& setting) {
  const std::size_t hidden = flows::chosen((*setting.options)[option::kHidden],
                                           std::max(flows::fitting_hidden(setting.dim), setting.dim));
  flows::Layers layers;
  for (std::size_t l = 0; l < flows::chosen((*setting.options)[option::kLayers], kLayers); ++l)
    layers.push_back(std::make_unique<flows::Autoregressive>(setting.dim, hidden, l % 2 == 1));
  return flows::make_flow(setting.dim, std::move(layers));
}

}  // namespace

const FamilyRecord& inverse_autoregressive_family() {
  static const FamilyRecord record{
      .name = "iaf",
      .summary =
          "a flow that scales and shifts each coordinate by functions of those before it; log q at a "
          "point is exact, coordinate after coordinate",
      .citation =
          "Kingma, Salimans, Jozefowicz, Chen, Sutskever and Welling (2016), Improved variational inference "
          "with inverse autoregressive flow, NeurIPS.",
      .options = kOptions,
      .is_affine = true,
      .make = make,
  };
  return record;
}

}  // namespace kullback::infer
