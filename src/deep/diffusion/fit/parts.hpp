// Parts of models in a model.json: records by name with their options, and how a network is built.
#pragma once

#include <map>
#include <string>

#include "base/json_fields.hpp"
#include "deep/diffusion/score_net.hpp"

namespace kullback::deep::diffusion {

using Words = std::map<std::string, std::string>;

struct Part {
  std::string name = {};
  Words options = {};
};

std::string json_part(const Part& part);
Part read_part(const JsonFields& json, const std::string& name);

// Its members as lines of an object; what the data decide is not among them.
std::string json_net(const NetSpec& net);
NetSpec read_net(const JsonFields& json);

}  // namespace kullback::deep::diffusion
