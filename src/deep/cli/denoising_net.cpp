#include "deep/cli/denoising_net.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "deep/cli/training.hpp"
#include "deep/count_list.hpp"

namespace kullback::deep::cli {

std::vector<Option> network_options() {
  return {{"architecture", "auto", "mlp or unet; auto: unet of images"},
          {"hidden", "128,128,128", "units of each hidden layer (mlp)"},
          {"filters", "32,64,64", "channels at each resolution, each half of the one before (unet)"},
          activation_option("silu", " (mlp)")};
}

diffusion::NetSpec net_of(const Settings& settings) {
  diffusion::NetSpec net;
  net.architecture = settings.text("architecture");
  if (net.architecture != "auto" && net.architecture != "mlp" && net.architecture != "unet")
    throw Error(ErrorKind::usage, fmt::format("there is no --architecture '{}'.", net.architecture),
                "Known are: auto, mlp, unet.");
  net.hidden = count_list("hidden", settings.text("hidden"), "Write --hidden 128,128 for two layers.");
  net.filters = count_list("filters", settings.text("filters"), "Write --filters 32,64 for two resolutions.");
  net.activation = settings.text("activation");
  activation_named(net.activation);
  return net;
}

std::vector<Option> diffusion_training_options(const Option& rate) {
  return {kEpochs,
          batch_option("256"),
          rate,
          schedule_option("cosine"),
          {"averaging", "0.999",
           "of the running mean of the parameters, which is what is kept; 0: the last ones"},
          judge_every_option("held-out bounds"),
          precision_option(Precisions::floats_tf32)};
}

double part_of(const Settings& settings, const std::string& name) {
  const double part = settings.number(name);
  if (!(part >= 0 && part < 1))
    throw Error(ErrorKind::usage,
                fmt::format("--{} is '{}'; it must be from 0 to below 1.", name, settings.text(name)));
  return part;
}

}  // namespace kullback::deep::cli
