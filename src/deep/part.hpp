// A part of a model, in a model.json: a record by name, with all its options.
#pragma once

#include <map>
#include <string>

#include "base/json_fields.hpp"

namespace kullback::deep {

struct Part {
  std::string name = {};
  std::map<std::string, std::string> options = {};
};

std::string json_part(const Part& part);
Part read_part(const JsonFields& json, const std::string& name);

}  // namespace kullback::deep
