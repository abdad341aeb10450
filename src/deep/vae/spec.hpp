// What kind of rows an autoencoder is for, and the size of its networks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/option.hpp"
#include "deep/net/net.hpp"

namespace kullback::deep {

enum class Architecture { mlp, conv, residual };
inline constexpr auto kArchitecture =
    ChoiceOption("architecture", Architecture::mlp, "mlp|conv|residual", "Of both networks");

struct VaeSpec {
  std::int64_t pixels = 0;  // numbers of a row: channels * height * width of an image
  std::int64_t channels = 1;
  std::int64_t height = 0;  // 0: rows are not images
  std::int64_t width = 0;
  bool has_unit_range = false;  // rows are in [0, 1]
  std::int64_t latent = 20;
  std::int64_t labels = 0;  // classes given to encoder and decoder; 0: not conditional
  Architecture architecture = Architecture::mlp;
  std::vector<std::int64_t> hidden = {400};      // of the encoder; the decoder has them in reverse
  std::vector<std::int64_t> filters = {32, 64};  // of conv and residual (images)
  Activation activation = Activation::relu;
  bool is_brief = false;  // layers multiply in bfloat16 while it trains

  bool is_image() const { return height > 0; }
};

}  // namespace kullback::deep
