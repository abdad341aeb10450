#include "deep/diffusion/fit/parts.hpp"

#include <fmt/format.h>

#include "base/json.hpp"
#include "deep/part.hpp"

namespace kullback::deep::diffusion {

std::string json_net(const NetSpec& net) {
  return fmt::format(
      "  \"architecture\": {},\n  \"hidden\": {},\n  \"filters\": {},\n  \"activation\": {},\n",
      json_string(text_of(kArchitecture, net.architecture)), json_counts(net.hidden),
      json_counts(net.filters), json_string(text_of(kSiluActivation, net.activation)));
}

NetSpec read_net(const JsonFields& json) {
  NetSpec net;
  net.architecture = read_choice(json, kArchitecture);
  net.hidden = json.counts("hidden");
  net.filters = json.counts("filters");
  net.activation = read_choice(json, kSiluActivation);
  return net;
}

}  // namespace kullback::deep::diffusion
