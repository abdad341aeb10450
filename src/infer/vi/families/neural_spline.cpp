// Neural spline flows: coupling layers with monotone rational-quadratic splines.
#include "infer/vi/flows/coupling.hpp"
#include "infer/vi/options.hpp"

namespace kullback::infer {

namespace option {
constexpr auto kBins = CountOption("bins", 0, "Bins of each spline of a flow")
                           .from(1)
                           .to(500)  // each has a least share of 1/1000
                           .automatic()
                           .hinted("8 to 16 are usual.");
}  // namespace option

namespace {

constexpr const OptionRecord* kOptions[] = {&option::kLayers, &option::kHidden, &option::kBins};
constexpr std::size_t kLayers = 4;
constexpr std::size_t kBins = 8;

std::unique_ptr<Family> make(const FamilySetting& setting) {
  const std::size_t bins = flows::chosen((*setting.options)[option::kBins], kBins);
  const std::size_t hidden =
      flows::chosen((*setting.options)[option::kHidden], flows::fitting_hidden(setting.dim));
  flows::Layers layers;
  for (auto& moves :
       flows::moves_of_layers(setting.dim, flows::chosen((*setting.options)[option::kLayers], kLayers)))
    layers.push_back(std::make_unique<flows::Coupling>(std::move(moves), hidden, flows::make_spline(bins)));
  return flows::make_flow(setting.dim, std::move(layers));
}

}  // namespace

const FamilyRecord& neural_spline_family() {
  static const FamilyRecord record{
      .name = "spline",
      .summary = "a flow that bends half of the coordinates by splines whose knots depend on the others",
      .citation = "Durkan, Bekasov, Murray and Papamakarios (2019), Neural spline flows, NeurIPS.",
      .options = kOptions,
      .is_affine = true,
      .make = make,
  };
  return record;
}

}  // namespace kullback::infer
