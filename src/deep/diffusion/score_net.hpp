// Networks F(z, c) that see how much noise there is: c = log(sigma / alpha) / 4.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/option.hpp"
#include "deep/net/layout.hpp"
#include "deep/net/net.hpp"
#include "deep/net/options.hpp"

namespace kullback::deep::diffusion {

enum class NetArchitecture { automatic, mlp, unet };

struct NetSpec {
  std::int64_t inputs = 0;   // numbers of a state
  std::int64_t outputs = 0;  // numbers of a row of data
  std::int64_t channels = 1;
  std::int64_t height = 0;  // 0: rows are not images
  std::int64_t width = 0;
  std::int64_t labels = 0;                              // classes; 0: none
  NetArchitecture architecture = NetArchitecture::mlp;  // unet: of images
  std::vector<std::int64_t> hidden = {128, 128, 128};   // mlp
  std::vector<std::int64_t> filters = {32, 64, 64};  // unet: channels of each resolution, halved in between
  Activation activation = Activation::silu;

  bool is_image() const { return height > 0; }
  void choose_architecture(bool has_images);  // where it is automatic
};

inline constexpr auto kArchitecture =
    ChoiceOption("architecture", NetArchitecture::automatic, "auto|mlp|unet",
                 "Of the network; auto: unet of images, else mlp");
inline constexpr auto kHidden = TextOption("hidden", "128,128,128", "Units of each hidden layer (mlp)");
inline constexpr auto kFilters =
    TextOption("filters", "32,64,64", "Channels at each resolution, each half of the one before (unet)");
inline constexpr const OptionRecord* kNetOptions[] = {&kArchitecture, &kHidden, &kFilters, &kSiluActivation};
NetSpec net_of(const OptionValues& values);

class ScoreNet {
 public:
  virtual ~ScoreNet() = default;
  // x [rows, inputs]; c [rows]; label [rows, labels], one-hot or all 0 (not known), undefined where there are
  // no classes. Result [rows, outputs].
  virtual torch::Tensor forward(const Parameters& parameters, const torch::Tensor& x, const torch::Tensor& c,
                                const torch::Tensor& label) const = 0;
};

// Adds the slots of its parameters. Throws Error usage for what does not fit: an unet of rows, images that
// cannot be halved.
std::unique_ptr<ScoreNet> make_score_net(Layout& layout, const NetSpec& spec);
std::unique_ptr<ScoreNet> make_mlp(Layout& layout, const NetSpec& spec);
std::unique_ptr<ScoreNet> make_unet(Layout& layout, const NetSpec& spec);

// So many rows are best given to a network at once where nothing is learned: the activations of a few images
// still fit into a CPU's cache.
std::int64_t rows_at_once(bool is_image, const torch::Device& device);

// Sines and cosines of c, [rows, 2 * kFrequencies].
constexpr std::int64_t kFrequencies = 16;
torch::Tensor embed(const torch::Tensor& c);

}  // namespace kullback::deep::diffusion
