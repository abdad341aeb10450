// Parts of models in a model.json: how a network is built.
#pragma once

#include <string>

#include "base/json_fields.hpp"
#include "deep/diffusion/score_net.hpp"
#include "deep/part.hpp"

namespace kullback::deep::diffusion {

using deep::Part;

// Its members as lines of an object; what the data decide is not among them.
std::string json_net(const NetSpec& net);
NetSpec read_net(const JsonFields& json);

}  // namespace kullback::deep::diffusion
