// p(z1, z2) = N(z2; 0, I) N(z1; mean(z2), sd(z2)); the decoder sees z1 alone.
#include "deep/vae/hierarchical.hpp"

#include "deep/counts.hpp"
#include "deep/vae/gaussian.hpp"
#include "deep/vae/latent_prior.hpp"

namespace kullback::deep {

namespace {

class HierarchicalPrior final : public LatentPrior {
 public:
  HierarchicalPrior(TwoLayers layers, std::int64_t hidden) : layers_(layers), hidden_(hidden) {}

  std::int64_t decoded() const override { return layers_.bottom; }
  void add_slots(Layout& layout) override {
    slots_ = add_conditional(layout, "prior.bottom", {layers_.top, layers_.bottom, hidden_});
  }

  torch::Tensor log_density(const Vae&, const Parameters& parameters, const torch::Tensor& z) const override {
    const torch::Tensor z1 = z.narrow(2, 0, layers_.bottom), z2 = z.narrow(2, layers_.bottom, layers_.top);
    const Conditional::Normal below = Conditional(slots_, parameters).at(z2);
    return log_standard_normal(z2) + log_normal(z1, below.mean, below.log_sd);
  }

  torch::Tensor sample(const Vae&, const Parameters& parameters, std::int64_t count,
                       const Noise& noise) const override {
    const torch::Tensor standard =
        noise.normal({count, layers_.bottom + layers_.top}, parameters[0].options(), 0);
    const torch::Tensor z2 = standard.narrow(1, layers_.bottom, layers_.top);
    const Conditional::Normal below = Conditional(slots_, parameters).at(z2.unsqueeze(0));
    const torch::Tensor z1 =
        below.mean.squeeze(0) + below.log_sd.squeeze(0).exp() * standard.narrow(1, 0, layers_.bottom);
    return at::cat({z1, z2}, 1);
  }

 private:
  TwoLayers layers_;
  std::int64_t hidden_;
  ConditionalSlots slots_;
};

}  // namespace

extern const LatentPriorRecord kHierarchicalLatentPrior;
const LatentPriorRecord kHierarchicalLatentPrior{
    .name = "hierarchical",
    .summary = "a second layer of normal latent variables decides where the first one is",
    .use_when = "With --posterior hierarchical: the data have causes of causes.",
    .citation = "Burda, Grosse, Salakhutdinov 2016, Importance weighted autoencoders",
    .options = kTwoLayersOptions,
    .make = [](const OptionValues& values, const VaeSpec& spec) -> std::unique_ptr<LatentPrior> {
      return std::make_unique<HierarchicalPrior>(two_layers(values, spec), count_of(values, kTopHidden));
    }};

}  // namespace kullback::deep
