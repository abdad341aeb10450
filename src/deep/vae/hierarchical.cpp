#include "deep/vae/hierarchical.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"

namespace kullback::deep {

std::vector<Option> two_layers_options() {
  return {{"top-latent", "",
           "latent variables of the upper of two layers, of those in --latent; a third of "
           "them unless given"},
          {"top-hidden", "100", "units of the networks between the two layers of latent variables"}};
}

TwoLayers two_layers(const Settings& settings, const VaeSpec& spec) {
  if (spec.latent < 2) {
    throw Error(ErrorKind::usage, "two layers of latent variables need at least two of them.",
                "Give a larger --latent.");
  }
  std::int64_t top = std::max<std::int64_t>(spec.latent / 3, 1);
  if (settings.has("top-latent"))
    top =
        static_cast<std::int64_t>(settings.count("top-latent", 1, static_cast<std::size_t>(spec.latent - 1)));
  return {.bottom = spec.latent - top, .top = top};
}

std::int64_t top_hidden(const Settings& settings) {
  return static_cast<std::int64_t>(settings.count("top-hidden", 1, 100000));
}

}  // namespace kullback::deep
