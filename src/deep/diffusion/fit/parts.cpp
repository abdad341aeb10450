#include "deep/diffusion/fit/parts.hpp"

#include <fmt/format.h>

#include "base/json.hpp"

namespace kullback::deep::diffusion {

std::string json_net(const NetSpec& net) {
  return fmt::format(
      "  \"architecture\": {},\n  \"hidden\": {},\n  \"filters\": {},\n  \"activation\": {},\n",
      json_string(net.architecture), json_counts(net.hidden), json_counts(net.filters),
      json_string(net.activation));
}

NetSpec read_net(const JsonFields& json) {
  NetSpec net;
  net.architecture = json.text("architecture");
  net.hidden = json.counts("hidden");
  net.filters = json.counts("filters");
  net.activation = json.text("activation");
  return net;
}

}  // namespace kullback::deep::diffusion
