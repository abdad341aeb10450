#include "deep/vae/pairs.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace kullback::deep {

void check_pairs(std::string_view family, std::string_view prior, std::string_view objective) {
  if (family == "vq" && prior != "codes") {
    throw Error(
        ErrorKind::usage,
        fmt::format("--posterior vq puts latent variables on codes, of which --prior {} knows nothing.",
                    prior),
        "Give --prior codes.");
  }
  if (prior == "codes" && family != "vq") {
    throw Error(
        ErrorKind::usage,
        fmt::format("--prior codes is for latent variables on codes, which --posterior {} does not give.",
                    family),
        "Give --posterior vq.");
  }
  if (family == "vq" && objective != "vae") {
    throw Error(
        ErrorKind::usage,
        fmt::format("--objective {} needs draws that differ, but --posterior vq gives one code for a row.",
                    objective),
        "Give --objective vae.");
  }
  if ((family == "iterative") != (objective == "iterative")) {
    throw Error(
        ErrorKind::usage,
        "--posterior iterative and --objective iterative belong together: the one has the network that "
        "the other trains.",
        "Give both, or neither.");
  }
}

}  // namespace kullback::deep
