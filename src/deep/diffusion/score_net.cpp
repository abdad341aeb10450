#include "deep/diffusion/score_net.hpp"

#include "deep/counts.hpp"

namespace kullback::deep::diffusion {

// Frequencies from 0.5 to 16, equally far apart in their logarithms; c is within about [-2, 2].
torch::Tensor embed(const torch::Tensor& c) {
  const torch::Tensor frequency =
      0.5 * at::exp(torch::arange(kFrequencies, c.options()) * (3.4657359 / (kFrequencies - 1)));
  const torch::Tensor angle = c.unsqueeze(1) * frequency.unsqueeze(0);
  return at::cat({at::sin(angle), at::cos(angle)}, 1);
}

std::int64_t rows_at_once(bool is_image, const torch::Device& device) {
  return is_image && device.is_cpu() ? 32 : 1000;
}

std::unique_ptr<ScoreNet> make_score_net(Layout& layout, const NetSpec& spec) {
  return spec.architecture == NetArchitecture::unet ? make_unet(layout, spec) : make_mlp(layout, spec);
}

void NetSpec::choose_architecture(bool has_images) {
  if (architecture == NetArchitecture::automatic)
    architecture = has_images ? NetArchitecture::unet : NetArchitecture::mlp;
}

NetSpec net_of(const OptionValues& values) {
  NetSpec net;
  net.architecture = values[kArchitecture];
  net.hidden = counts_of(values, kHidden);
  net.filters = counts_of(values, kFilters);
  net.activation = values[kSiluActivation];
  return net;
}

}  // namespace kullback::deep::diffusion
