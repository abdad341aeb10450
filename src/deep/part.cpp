#include "deep/part.hpp"

#include <fmt/format.h>

#include "base/json.hpp"

namespace kullback::deep {

std::string json_part(const Part& part) {
  return fmt::format("{{\"name\": {}, \"options\": {}}}", json_string(part.name), json_words(part.options));
}

Part read_part(const JsonFields& json, const std::string& name) {
  const JsonFields part = json.object(name);
  return {part.text("name"), part.words("options")};
}

}  // namespace kullback::deep
