// q(z | x): independent normals, then an invertible map whose numbers are the encoder's outputs for the row
// (planar, radial, Sylvester), or a masked net that sees them as context (IAF):
//   log q(f(z0)) = log N(z0; mean, sd) - log|det f'(z0)|.
#include "deep/flow/flow.hpp"

#include <functional>
#include <memory>
#include <optional>

#include "deep/counts.hpp"
#include "deep/vae/gaussian.hpp"
#include "deep/vae/latent_family.hpp"

namespace kullback::deep {

namespace {

constexpr auto kFlowLayers =
    CountOption("flow_layers", 4, "Layers of the flow of the posterior").from(1).to(100);
constexpr auto kFlowReflections =
    CountOption("flow_reflections", 8, "Householder reflections of a layer").from(1).to(1000);
constexpr auto kFlowHidden =
    CountOption("flow_hidden", 200, "Units of the masked networks").from(1).to(100000);
constexpr auto kFlowContext =
    CountOption("flow_context", 50, "Numbers of the encoder that the masked networks see").from(1).to(100000);
constexpr const OptionRecord* kPlainOptions[] = {&kFlowLayers};
constexpr const OptionRecord* kSylvesterOptions[] = {&kFlowLayers, &kFlowReflections};
constexpr const OptionRecord* kIafOptions[] = {&kFlowLayers, &kFlowHidden, &kFlowContext};

constexpr std::int64_t kMomentDraws = 200;
// Fresh encoders give outputs of the size of 1: the map is then not far from the identity.
constexpr double kContextScale = 0.5;

// A flow with a layout of its own, so that its weights can be stopped.
struct OwnFlow {
  Layout layout;
  std::optional<Flow> flow;
};

class FlowPosterior final : public LatentPosterior {
 public:
  struct Numbers {
    torch::Tensor mean, log_sd;  // [rows, latent]
    torch::Tensor context;       // [1, 1, rows, flow.context()]
    torch::Tensor flat;          // [1, size], the weights of the flow
  };

  FlowPosterior(const OwnFlow& own, Numbers numbers)
      : own_(own), flow_(*own.flow), parameters_(own.layout, numbers.flat), numbers_(std::move(numbers)) {}

  LatentDraws rsample(std::int64_t samples, const Noise& noise, bool wants_log_q) const override {
    const torch::Tensor standard =
        noise.normal({samples, numbers_.mean.size(0), numbers_.mean.size(1)}, numbers_.mean.options(), 1);
    const torch::Tensor start = numbers_.mean + numbers_.log_sd.exp() * standard;
    const Flowed flowed = flow_.forward(parameters_, start.unsqueeze(0), numbers_.context);
    LatentDraws draws{.z = flowed.z.squeeze(0)};
    if (wants_log_q)
      draws.log_q = log_standard_normal(standard) - numbers_.log_sd.sum(1) - flowed.log_det.squeeze(0);
    return draws;
  }

  torch::Tensor log_density(const torch::Tensor& z) const override {
    const Flowed back = flow_.inverse(parameters_, z.unsqueeze(0), numbers_.context);
    return log_normal(back.z.squeeze(0), numbers_.mean, numbers_.log_sd) + back.log_det.squeeze(0);
  }

  std::unique_ptr<LatentPosterior> stopped() const override {
    return std::make_unique<FlowPosterior>(own_, Numbers{numbers_.mean.detach(), numbers_.log_sd.detach(),
                                                         numbers_.context.detach(), numbers_.flat.detach()});
  }

  Moments moments() const override {
    const torch::NoGradGuard no_gradient;
    const torch::Tensor z = rsample(kMomentDraws, Noise(), false).z;
    return {.mean = z.mean(0), .sd = z.std(0, true)};
  }

 private:
  const OwnFlow& own_;
  const Flow& flow_;
  Parameters parameters_;
  Numbers numbers_;
};

class FlowFamily final : public LatentFamily {
 public:
  using MakeFlow = std::function<Flow(Layout& layout)>;
  // `context`: the numbers that the flow will want of the encoder.
  FlowFamily(std::int64_t latent, std::int64_t context, MakeFlow make)
      : latent_(latent), context_(context), make_(std::move(make)) {}

  std::int64_t encoder_outputs() const override { return 2 * latent_ + context_; }
  bool has_density() const override { return own_.flow->has_inverse(); }

  void add_slots(Layout& layout) override {
    own_.flow.emplace(make_(own_.layout));
    first_slot_ = layout.slots().size();
    for (const Slot& slot : own_.layout.slots()) layout.add(slot);
  }

  std::unique_ptr<LatentPosterior> at(const Parameters& parameters, const torch::Tensor& outputs,
                                      Mode) override {
    const torch::Tensor context = outputs.narrow(1, 2 * latent_, context_) * kContextScale;
    return std::make_unique<FlowPosterior>(
        own_, FlowPosterior::Numbers{outputs.narrow(1, 0, latent_), outputs.narrow(1, latent_, latent_),
                                     context.unsqueeze(0).unsqueeze(0), weights(parameters, outputs)});
  }

 private:
  torch::Tensor weights(const Parameters& parameters, const torch::Tensor& like) const {
    const std::size_t slots = own_.layout.slots().size();
    if (slots == 0) return torch::zeros({1, 0}, like.options());
    std::vector<torch::Tensor> flat;
    for (std::size_t i = 0; i < slots; ++i) flat.push_back(parameters[first_slot_ + i].flatten(1));
    return at::cat(flat, 1);
  }

  std::int64_t latent_, context_;
  MakeFlow make_;
  OwnFlow own_;
  std::size_t first_slot_ = 0;
};

// A flow all of whose numbers are the encoder's.
template <class Make>
std::unique_ptr<LatentFamily> amortised(const VaeSpec& spec, const Make& make) {
  return std::make_unique<FlowFamily>(spec.latent, make().context(), [make](Layout&) { return make(); });
}

}  // namespace

extern const LatentFamilyRecord kPlanarFamily;
const LatentFamilyRecord kPlanarFamily{
    .name = "planar",
    .summary = "normals bent along one direction by each layer",
    .use_when = "A cheap flow for a few latent variables; many need many layers.",
    .citation = "Rezende, Mohamed 2015, Variational inference with normalizing flows",
    .options = kPlainOptions,
    .make = [](const OptionValues& values, const VaeSpec& spec) -> std::unique_ptr<LatentFamily> {
      const std::int64_t latent = spec.latent, layers = count_of(values, kFlowLayers);
      return amortised(spec, [=] { return planar_flow(latent, layers); });
    }};

extern const LatentFamilyRecord kRadialFamily;
const LatentFamilyRecord kRadialFamily{
    .name = "radial",
    .summary = "normals drawn towards or away from a point by each layer",
    .use_when =
        "The cheapest flow whose density can be evaluated anywhere, as doubly reparameterised "
        "gradients need.",
    .citation = "Rezende, Mohamed 2015, Variational inference with normalizing flows",
    .options = kPlainOptions,
    .make = [](const OptionValues& values, const VaeSpec& spec) -> std::unique_ptr<LatentFamily> {
      const std::int64_t latent = spec.latent, layers = count_of(values, kFlowLayers);
      return amortised(spec, [=] { return radial_flow(latent, layers); });
    }};

extern const LatentFamilyRecord kSylvesterFamily;
const LatentFamilyRecord kSylvesterFamily{
    .name = "sylvester",
    .summary =
        "normals bent in all directions at once by each layer, with an orthogonal matrix of reflections",
    .use_when =
        "The strongest flow whose numbers are all the encoder's; the encoder gets about latent^2 "
        "outputs for each layer.",
    .citation =
        "van den Berg, Hasenclever, Tomczak, Welling 2018, Sylvester normalizing flows for "
        "variational inference",
    .options = kSylvesterOptions,
    .make = [](const OptionValues& values, const VaeSpec& spec) -> std::unique_ptr<LatentFamily> {
      const std::int64_t latent = spec.latent, layers = count_of(values, kFlowLayers);
      const auto reflections = count_of(values, kFlowReflections);
      return amortised(spec, [=] { return sylvester_flow(latent, layers, reflections); });
    }};

extern const LatentFamilyRecord kIafFamily;
const LatentFamilyRecord kIafFamily{
    .name = "iaf",
    .summary = "normals through masked networks, in which each latent variable depends on those before it",
    .use_when =
        "Many latent variables: the networks are the same for all rows, and the encoder only gives "
        "a context. Densities elsewhere cost one pass for each latent variable.",
    .citation =
        "Kingma, Salimans, Jozefowicz, Chen, Sutskever, Welling 2016, Improved variational inference "
        "with inverse autoregressive flow",
    .options = kIafOptions,
    .make = [](const OptionValues& values, const VaeSpec& spec) -> std::unique_ptr<LatentFamily> {
      const NeuralFlowSpec of{.dim = spec.latent,
                              .layers = count_of(values, kFlowLayers),
                              .hidden = count_of(values, kFlowHidden),
                              .context = count_of(values, kFlowContext)};
      return std::make_unique<FlowFamily>(spec.latent, of.context, [of](Layout& layout) {
        return autoregressive_flow(layout, "posterior", of);
      });
    }};

}  // namespace kullback::deep
