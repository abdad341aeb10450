// The codebook is a slot. With running means it has no gradient: N <- d N + (1 - d) n, S <- d S + (1 - d) s
// with n points of sum s that chose the code in the minibatch, and the code is S / N (van den Oord et al.
// 2017, appendix); otherwise |stop(e) - q|^2 moves it. commitment |e - stop(q)|^2 moves the encoder in both
// cases. A code that hardly any point chooses is put on one of the minibatch.
#include <utility>

#include "base/error.hpp"
#include "deep/vae/vq_family.hpp"

namespace kullback::deep {

namespace {

class VqPosterior final : public LatentPosterior {
 public:
  VqPosterior(torch::Tensor z, torch::Tensor penalty) : z_(std::move(z)), penalty_(std::move(penalty)) {}

  // A row has one code, which has probability 1.
  LatentDraws rsample(std::int64_t samples, const Noise&, bool wants_log_q) const override {
    LatentDraws draws{.z = z_.unsqueeze(0).expand({samples, z_.size(0), z_.size(1)}), .penalty = penalty_};
    if (wants_log_q) draws.log_q = torch::zeros({samples, z_.size(0)}, z_.options());
    return draws;
  }

  torch::Tensor log_density(const torch::Tensor&) const override { refuse(); }
  std::unique_ptr<LatentPosterior> stopped() const override { refuse(); }
  Moments moments() const override { return {.mean = z_, .sd = torch::zeros_like(z_)}; }

 private:
  [[noreturn]] static void refuse() { throw Error(ErrorKind::internal, "codes have no density."); }

  torch::Tensor z_, penalty_;
};

}  // namespace

void VqFamily::add_slots(Layout& layout) {
  slot_ = layout.add({.name = "posterior.codes",
                      .shape = {spec_.codes, spec_.part_size},
                      .role = Role::weight,
                      .fan_in = 1,
                      .gain = 1});
  if (!spec_.uses_means) return;
  counts_ = layout.add({.name = "posterior.code_counts", .shape = {spec_.codes}});
  sums_ = layout.add({.name = "posterior.code_sums", .shape = {spec_.codes, spec_.part_size}});
}

void VqFamily::start(const Parameters& parameters) {
  if (!spec_.uses_means) return;
  parameters[sums_].copy_(parameters[slot_]);
  parameters[counts_].fill_(1);
}

torch::Tensor VqFamily::codes_of(const Parameters& parameters, const torch::Tensor& z) const {
  std::vector<std::int64_t> shape = z.sizes().vec();
  shape.back() = spec_.parts;
  const torch::Tensor points = z.detach().reshape({-1, spec_.part_size});
  return nearest_codes(points, codebook(parameters).detach()).view(shape);
}

std::unique_ptr<LatentPosterior> VqFamily::at(const Parameters& parameters, const torch::Tensor& outputs,
                                              Mode mode) {
  const torch::Tensor points = outputs.reshape({-1, spec_.part_size});
  const torch::Tensor book = spec_.uses_means ? codebook(parameters).detach().clone() : codebook(parameters);
  const torch::Tensor chosen = nearest_codes(points.detach(), book.detach());
  const torch::Tensor codes = book.index_select(0, chosen);
  torch::Tensor penalty = spec_.commitment * (points - codes.detach()).square();
  if (!spec_.uses_means) penalty = penalty + (points.detach() - codes).square();
  if (spec_.uses_means && mode == Mode::train) move_codes(parameters, points.detach(), chosen);
  const std::int64_t rows = outputs.size(0);
  return std::make_unique<VqPosterior>(
      past_codes(spec_.past, points, codes.detach()).view({rows, outputs.size(1)}),
      penalty.view({rows, -1}).sum(1));
}

// Writes to the slots are unknown to autograd: the graph of a step keeps other parts of the flat tensor.
void VqFamily::move_codes(const Parameters& parameters, const torch::Tensor& points,
                          const torch::Tensor& chosen) const {
  const torch::NoGradGuard no_gradient;
  torch::Tensor counts = parameters[counts_].data().squeeze(0), sums = parameters[sums_].data().squeeze(0);
  const torch::Tensor ones = torch::ones({points.size(0)}, points.options());
  counts.mul_(spec_.decay).index_add_(0, chosen, ones, 1 - spec_.decay);
  sums.mul_(spec_.decay).index_add_(0, chosen, points, 1 - spec_.decay);
  if (spec_.restart > 0) {
    // The rows of a minibatch are in random order: the first points will do.
    const double fair = static_cast<double>(points.size(0)) / static_cast<double>(spec_.codes);
    const torch::Tensor is_idle = counts < spec_.restart * fair;
    const torch::Tensor index = torch::arange(spec_.codes, chosen.options()).remainder(points.size(0));
    sums.copy_(at::where(is_idle.unsqueeze(1), points.index_select(0, index) * fair, sums));
    counts.copy_(at::where(is_idle, torch::full_like(counts, fair), counts));
  }
  parameters[slot_].data().squeeze(0).copy_(sums / counts.unsqueeze(1).clamp_min(1e-8));
}

extern const LatentFamilyRecord kVqFamily;
const LatentFamilyRecord kVqFamily{
    .name = "vq",
    .summary = "parts of the latent variables on the nearest of some learned codes",
    .use_when = "Codes should be discrete, with --prior codes: for compression, or a sequence model of them.",
    .citation =
        "van den Oord, Vinyals, Kavukcuoglu 2017, Neural discrete representation learning; Fifty et "
        "al. 2024, Restructuring vector quantization with the rotation trick",
    .options = {{"codes", "512", "codes of the book"},
                {"code-size", "", "latent variables of a code; all in --latent unless given"},
                {"code-gradient", "rotation", "past the codes: rotation, or straight (unchanged)"},
                {"codebook", "means", "how codes move: means (running), or loss (by gradient)"},
                {"commitment", "0.25", "weight of the squared distance that draws outputs to their codes"},
                {"code-decay", "0.99", "of running means"},
                {"code-restart", "0.05",
                 "a code with less than this part of its fair share moves to a row "
                 "of the minibatch; 0: never"}},
    .make = [](const Settings& settings, const VaeSpec& spec) -> std::unique_ptr<LatentFamily> {
      VqSpec vq;
      vq.part_size = spec.latent;
      if (settings.has("code-size")) {
        vq.part_size =
            static_cast<std::int64_t>(settings.count("code-size", 1, static_cast<std::size_t>(spec.latent)));
      }
      if (spec.latent % vq.part_size != 0) {
        throw Error(ErrorKind::usage,
                    "codes of " + std::to_string(vq.part_size) + " latent variables do not divide --latent " +
                        std::to_string(spec.latent) + ".",
                    "Give a --code-size that does.");
      }
      vq.parts = spec.latent / vq.part_size;
      vq.codes = static_cast<std::int64_t>(settings.count("codes", 2, 10000000));
      vq.past = settings.choice("code-gradient", {"rotation", "straight"}) == 0 ? PastCodes::rotation
                                                                                : PastCodes::straight;
      vq.uses_means = settings.choice("codebook", {"means", "loss"}) == 0;
      vq.commitment = settings.number("commitment");
      vq.decay = settings.fraction("code-decay");
      vq.restart = settings.number("code-restart");
      return std::make_unique<VqFamily>(vq);
    }};

}  // namespace kullback::deep
