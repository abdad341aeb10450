// The codebook is a slot. With running means it has no gradient: N <- d N + (1 - d) n, S <- d S + (1 - d) s
// with n points of sum s that chose the code in the minibatch, and the code is S / N (van den Oord et al.
// 2017, appendix); otherwise |stop(e) - q|^2 moves it. commitment |e - stop(q)|^2 moves the encoder in both
// cases. A code that hardly any point chooses is put on one of the minibatch.
#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"
#include "deep/counts.hpp"
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

std::int64_t code_size_of(const OptionValues& values, std::int64_t latent) {
  if (!values.is_given(kCodeSize)) return latent;
  const std::int64_t size = count_of(values, kCodeSize);
  if (size <= latent && latent % size == 0) return size;
  throw Error(ErrorKind::usage,
              fmt::format("codes of {} latent variables do not divide --latent {}.", size, latent),
              "Give a --code-size that does.");
}

namespace {

constexpr auto kCodeGradient = ChoiceOption("code_gradient", PastCodes::rotation, "straight|rotation",
                                            "Past the codes; straight: unchanged");
enum class Codebook { means, loss };
constexpr auto kCodebook = ChoiceOption("codebook", Codebook::means, "means|loss",
                                        "How codes move: as running means, or by the gradient of a loss");
constexpr auto kCommitment =
    NumberOption("commitment", 0.25, "Weight of the squared distance that draws outputs to their codes")
        .from(0);
constexpr auto kCodeDecay = NumberOption("code_decay", 0.99, "Of running means").above(0).below(1);
constexpr auto kCodeRestart = NumberOption("code_restart", 0.05,
                                           "A code with less than this part of its fair share moves to a row "
                                           "of the minibatch; 0: never")
                                  .from(0);
constexpr const OptionRecord* kOptions[] = {&kCodes,      &kCodeSize,  &kCodeGradient, &kCodebook,
                                            &kCommitment, &kCodeDecay, &kCodeRestart};

}  // namespace

extern const LatentFamilyRecord kVqFamily;
const LatentFamilyRecord kVqFamily{
    .name = "vq",
    .summary = "parts of the latent variables on the nearest of some learned codes",
    .use_when = "Codes should be discrete, with --prior codes: for compression, or a sequence model of them.",
    .citation =
        "van den Oord, Vinyals, Kavukcuoglu 2017, Neural discrete representation learning; Fifty et "
        "al. 2024, Restructuring vector quantization with the rotation trick",
    .options = kOptions,
    .make = [](const OptionValues& values, const VaeSpec& spec) -> std::unique_ptr<LatentFamily> {
      VqSpec vq;
      vq.part_size = code_size_of(values, spec.latent);
      vq.parts = spec.latent / vq.part_size;
      vq.codes = count_of(values, kCodes);
      vq.past = values[kCodeGradient];
      vq.uses_means = values[kCodebook] == Codebook::means;
      vq.commitment = values[kCommitment];
      vq.decay = values[kCodeDecay];
      vq.restart = values[kCodeRestart];
      return std::make_unique<VqFamily>(vq);
    }};

}  // namespace kullback::deep
