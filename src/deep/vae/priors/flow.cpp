// z = f(e), e ~ N(0, I), f a RealNVP: log p(z) = log N(f^-1(z); 0, I) + log|det of f^-1|.
#include "deep/flow/flow.hpp"

#include <optional>

#include "deep/counts.hpp"
#include "deep/vae/gaussian.hpp"
#include "deep/vae/latent_prior.hpp"

namespace kullback::deep {

namespace {

constexpr auto kPriorLayers =
    CountOption("prior_layers", 6, "Couplings of the flow of the prior").from(1).to(1000);
constexpr auto kPriorHidden =
    CountOption("prior_hidden", 100, "Units of the networks in the couplings").from(1).to(100000);

class FlowPrior final : public LatentPrior {
 public:
  explicit FlowPrior(NeuralFlowSpec spec) : spec_(spec) {}

  void add_slots(Layout& layout) override { flow_.emplace(coupling_flow(layout, "prior", spec_)); }

  torch::Tensor log_density(const Vae&, const Parameters& parameters, const torch::Tensor& z) const override {
    const Flowed base = flow_->inverse(parameters, z.unsqueeze(0), {});
    return (log_standard_normal(base.z) + base.log_det).squeeze(0);
  }

  torch::Tensor sample(const Vae&, const Parameters& parameters, std::int64_t count,
                       const Noise& noise) const override {
    const torch::Tensor standard = noise.normal({count, spec_.dim}, parameters[0].options(), 0);
    return flow_->forward(parameters, standard.unsqueeze(0), {}).z.squeeze(0);
  }

 private:
  NeuralFlowSpec spec_;
  std::optional<Flow> flow_;
};

constexpr const OptionRecord* kOptions[] = {&kPriorLayers, &kPriorHidden};

}  // namespace

extern const LatentPriorRecord kFlowLatentPrior;
const LatentPriorRecord kFlowLatentPrior{
    .name = "flow",
    .summary = "normals through affine couplings that are learned",
    .use_when = "Samples look worse than reconstructions: the prior then learns where the codes are.",
    .citation = "Dinh, Sohl-Dickstein, Bengio 2017, Density estimation using Real NVP",
    .options = kOptions,
    .make = [](const OptionValues& values, const VaeSpec& spec) -> std::unique_ptr<LatentPrior> {
      return std::make_unique<FlowPrior>(NeuralFlowSpec{.dim = spec.latent,
                                                        .layers = count_of(values, kPriorLayers),
                                                        .hidden = count_of(values, kPriorHidden)});
    }};

}  // namespace kullback::deep
