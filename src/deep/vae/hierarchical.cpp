#include "deep/vae/hierarchical.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "deep/counts.hpp"

namespace kullback::deep {

TwoLayers two_layers(const OptionValues& values, const VaeSpec& spec) {
  if (spec.latent < 2) {
    throw Error(ErrorKind::usage, "two layers of latent variables need at least two of them.",
                "Give a larger --latent.");
  }
  std::int64_t top = std::max<std::int64_t>(spec.latent / 3, 1);
  if (values.is_given(kTopLatent)) top = count_of(values, kTopLatent);
  if (top >= spec.latent)
    throw Error(ErrorKind::usage,
                fmt::format("--top-latent is {}; it must be below --latent {}.", top, spec.latent),
                "Leave it out: it is then a third of them.");
  return {.bottom = spec.latent - top, .top = top};
}

}  // namespace kullback::deep
