// Two stochastic layers from below (Burda, Grosse and Salakhutdinov 2016): q(z1, z2 | x) = q(z1 | x)
// q(z2 | z1). The encoder gives z1's mean and log sd; a network of z1 gives those of z2.
#include "deep/vae/hierarchical.hpp"

#include "deep/counts.hpp"
#include "deep/vae/gaussian.hpp"
#include "deep/vae/latent_family.hpp"

namespace kullback::deep {

namespace {

constexpr std::int64_t kMomentDraws = 200;

class Hierarchical final : public LatentPosterior {
 public:
  Hierarchical(torch::Tensor mean, torch::Tensor log_sd, std::int64_t top, Conditional above)
      : mean_(std::move(mean)), log_sd_(std::move(log_sd)), top_(top), above_(std::move(above)) {}

  LatentDraws rsample(std::int64_t samples, const Noise& noise, bool wants_log_q) const override {
    const std::int64_t bottom = mean_.size(1);
    const torch::Tensor standard = noise.normal({samples, mean_.size(0), bottom + top_}, mean_.options(), 1);
    const torch::Tensor z1 = mean_ + log_sd_.exp() * standard.narrow(2, 0, bottom);
    const Conditional::Normal above = above_.at(z1);
    const torch::Tensor z2 = above.mean + above.log_sd.exp() * standard.narrow(2, bottom, top_);
    LatentDraws draws{.z = at::cat({z1, z2}, 2)};
    if (wants_log_q) draws.log_q = log_standard_normal(standard) - log_sd_.sum(1) - above.log_sd.sum(2);
    return draws;
  }

  torch::Tensor log_density(const torch::Tensor& z) const override {
    const torch::Tensor z1 = z.narrow(2, 0, mean_.size(1)), z2 = z.narrow(2, mean_.size(1), top_);
    const Conditional::Normal above = above_.at(z1);
    return log_normal(z1, mean_, log_sd_) + log_normal(z2, above.mean, above.log_sd);
  }

  std::unique_ptr<LatentPosterior> stopped() const override {
    return std::make_unique<Hierarchical>(mean_.detach(), log_sd_.detach(), top_, above_.stopped());
  }

  Moments moments() const override {
    const torch::NoGradGuard no_gradient;
    const torch::Tensor z = rsample(kMomentDraws, Noise(), false).z;
    return {.mean = z.mean(0), .sd = z.std(0, true)};
  }

 private:
  torch::Tensor mean_, log_sd_;
  std::int64_t top_;
  Conditional above_;
};

class HierarchicalFamily final : public LatentFamily {
 public:
  HierarchicalFamily(TwoLayers layers, std::int64_t hidden) : layers_(layers), hidden_(hidden) {}

  std::int64_t encoder_outputs() const override { return 2 * layers_.bottom; }
  void add_slots(Layout& layout) override {
    slots_ = add_conditional(layout, "posterior.top", {layers_.bottom, layers_.top, hidden_});
  }

  std::unique_ptr<LatentPosterior> at(const Parameters& parameters, const torch::Tensor& outputs,
                                      Mode) override {
    return std::make_unique<Hierarchical>(outputs.narrow(1, 0, layers_.bottom),
                                          outputs.narrow(1, layers_.bottom, layers_.bottom), layers_.top,
                                          Conditional(slots_, parameters));
  }

 private:
  TwoLayers layers_;
  std::int64_t hidden_;
  ConditionalSlots slots_;
};

}  // namespace

extern const LatentFamilyRecord kHierarchicalFamily;
const LatentFamilyRecord kHierarchicalFamily{
    .name = "hierarchical",
    .summary = "two layers of normals: the upper one sees a draw of the lower one",
    .use_when = "With --prior hierarchical: the data have causes of causes.",
    .citation = "Burda, Grosse, Salakhutdinov 2016, Importance weighted autoencoders",
    .options = kTwoLayersOptions,
    .make = [](const OptionValues& values, const VaeSpec& spec) -> std::unique_ptr<LatentFamily> {
      return std::make_unique<HierarchicalFamily>(two_layers(values, spec), count_of(values, kTopHidden));
    }};

}  // namespace kullback::deep
