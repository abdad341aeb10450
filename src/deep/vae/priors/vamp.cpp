// VampPrior (Tomczak, Welling 2018): p(z) = 1/K sum_k q(z | u_k) with learned pseudo-inputs u_k, which start
// as rows of the data.
#include <cmath>

#include "base/error.hpp"
#include "deep/counts.hpp"
#include "deep/vae/latent_prior.hpp"
#include "deep/vae/vae.hpp"

namespace kullback::deep {

namespace {

constexpr auto kPseudoInputs =
    CountOption("pseudo_inputs", 500, "Components of the VampPrior").from(1).to(100000);

class Vamp final : public LatentPrior {
 public:
  Vamp(std::int64_t components, const VaeSpec& spec)
      : components_(components), pixels_(spec.pixels), has_unit_range_(spec.has_unit_range) {}

  void add_slots(Layout& layout) override {
    slot_ = layout.add({.name = "prior.pseudo_inputs", .shape = {components_, pixels_}});
  }

  void start(const Parameters& parameters, const torch::Tensor& rows) override {
    const torch::Tensor index = torch::arange(components_, rows.options().dtype(torch::kInt64));
    parameters[slot_].copy_(rows.index_select(0, index.remainder(rows.size(0))).unsqueeze(0));
  }

  torch::Tensor log_density(const Vae& vae, const Parameters& parameters,
                            const torch::Tensor& z) const override {
    const std::int64_t samples = z.size(0), rows = z.size(1), latent = z.size(2);
    const torch::Tensor each =
        z.reshape({samples * rows, 1, latent}).expand({samples * rows, components_, latent});
    const torch::Tensor log_q = components(vae, parameters)->log_density(each);
    return (at::logsumexp(log_q, 1) - std::log(static_cast<double>(components_))).view({samples, rows});
  }

  torch::Tensor sample(const Vae& vae, const Parameters& parameters, std::int64_t count,
                       const Noise& noise) const override {
    const torch::Tensor uniform = noise.uniform({count}, parameters[0].options(), 0);
    const torch::Tensor chosen =
        (uniform * static_cast<double>(components_)).to(torch::kInt64).clamp_max(components_ - 1);
    const torch::Tensor inputs = pseudo_inputs(parameters).index_select(0, chosen);
    return vae.posterior(parameters, inputs, {}, Mode::evaluate)->rsample(1, noise, false).z.squeeze(0);
  }

 private:
  torch::Tensor pseudo_inputs(const Parameters& parameters) const {
    const torch::Tensor free = parameters[slot_].squeeze(0);
    return has_unit_range_ ? free.clamp(0, 1) : free;
  }

  std::unique_ptr<LatentPosterior> components(const Vae& vae, const Parameters& parameters) const {
    return vae.posterior(parameters, pseudo_inputs(parameters), {}, Mode::evaluate);
  }

  std::int64_t components_, pixels_;
  bool has_unit_range_;
  std::size_t slot_ = 0;
};

constexpr const OptionRecord* kOptions[] = {&kPseudoInputs};

}  // namespace

extern const LatentPriorRecord kVampPrior;
const LatentPriorRecord kVampPrior{
    .name = "vamp",
    .summary = "the mean of the posteriors of learned pseudo-inputs",
    .use_when = "Samples from the standard normal prior look unlike the data, or latent variables go unused.",
    .citation = "Tomczak, Welling 2018, VAE with a VampPrior",
    .options = kOptions,
    .needs_density = true,
    .make = [](const OptionValues& values, const VaeSpec& spec) -> std::unique_ptr<LatentPrior> {
      if (spec.labels > 0) {
        throw Error(ErrorKind::usage, "a VampPrior's pseudo-inputs have no labels.",
                    "Leave out --labels' conditioning, or choose --prior gaussian.");
      }
      return std::make_unique<Vamp>(count_of(values, kPseudoInputs), spec);
    }};

}  // namespace kullback::deep
