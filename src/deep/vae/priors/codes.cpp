// The prior of a vector-quantised z: each part has its own probabilities of the codes, learned with the rest
// (uniform at first). log p(z) = sum over parts of the log probability of the code.
#include <cmath>

#include "base/error.hpp"
#include "deep/counts.hpp"
#include "deep/vae/latent_prior.hpp"
#include "deep/vae/vae.hpp"
#include "deep/vae/vq_family.hpp"

namespace kullback::deep {

namespace {

const VqFamily& codes_of(const Vae& vae) {
  const auto* family = dynamic_cast<const VqFamily*>(&vae.family());
  if (family == nullptr) {
    throw Error(ErrorKind::usage, "--prior codes is for vector-quantised latent variables.",
                "Give --posterior vq, or another --prior.");
  }
  return *family;
}

class CodesPrior final : public LatentPrior {
 public:
  // The family is not known here: it has at most so many parts.
  CodesPrior(std::int64_t parts, std::int64_t codes) : parts_(parts), codes_(codes) {}

  void add_slots(Layout& layout) override {
    slot_ = layout.add({.name = "prior.codes", .shape = {parts_, codes_}});
  }

  torch::Tensor log_density(const Vae& vae, const Parameters& parameters,
                            const torch::Tensor& z) const override {
    const VqFamily& family = codes_of(vae);
    const torch::Tensor codes = family.codes_of(parameters, z);  // [samples, rows, parts]
    const torch::Tensor log_share = log_shares(parameters).expand({z.size(0), z.size(1), parts_, codes_});
    return log_share.gather(3, codes.unsqueeze(3)).squeeze(3).sum(2);
  }

  // The largest of log share + Gumbel noise is a draw.
  torch::Tensor sample(const Vae& vae, const Parameters& parameters, std::int64_t count,
                       const Noise& noise) const override {
    const VqFamily& family = codes_of(vae);
    const torch::Tensor log_share = log_shares(parameters);
    const torch::Tensor uniform =
        noise.uniform({count, parts_, codes_}, log_share.options(), 0).clamp_min(1e-20);
    const torch::Tensor codes = (log_share - (-uniform.log()).clamp_min(1e-20).log()).argmax(2);
    return family.codebook(parameters).index_select(0, codes.flatten()).view({count, -1});
  }

 private:
  torch::Tensor log_shares(const Parameters& parameters) const {
    return at::log_softmax(parameters[slot_].squeeze(0), 1);
  }

  std::int64_t parts_, codes_;
  std::size_t slot_ = 0;
};

constexpr const OptionRecord* kOptions[] = {&kCodes, &kCodeSize};

}  // namespace

extern const LatentPriorRecord kCodesLatentPrior;
const LatentPriorRecord kCodesLatentPrior{
    .name = "codes",
    .summary = "learned probabilities of the codes, for each part of the latent variables",
    .use_when = "With --posterior vq.",
    .citation = "van den Oord, Vinyals, Kavukcuoglu 2017, Neural discrete representation learning",
    .options = kOptions,
    .make = [](const OptionValues& values, const VaeSpec& spec) -> std::unique_ptr<LatentPrior> {
      return std::make_unique<CodesPrior>(spec.latent / code_size_of(values, spec.latent),
                                          count_of(values, kCodes));
    }};

}  // namespace kullback::deep
