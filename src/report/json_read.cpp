#include "report/json_read.hpp"

#include <limits>

namespace kullback::report {

double number_in(const JsonValue& object, std::string_view name) {
  const JsonValue* value = object.find(name);
  if (value != nullptr && value->number() != nullptr) return value->number()->value;
  const std::string* word = value == nullptr ? nullptr : value->string();
  if (word != nullptr && *word == "Infinity") return std::numeric_limits<double>::infinity();
  if (word != nullptr && *word == "-Infinity") return -std::numeric_limits<double>::infinity();
  return std::numeric_limits<double>::quiet_NaN();
}

std::string text_in(const JsonValue& object, std::string_view name) {
  const JsonValue* value = object.find(name);
  return value == nullptr || value->string() == nullptr ? std::string() : *value->string();
}

bool truth_in(const JsonValue& object, std::string_view name) {
  const JsonValue* value = object.find(name);
  return value != nullptr && value->boolean() != nullptr && *value->boolean();
}

std::vector<std::string> texts_in(const JsonValue& object, std::string_view name) {
  std::vector<std::string> texts;
  const JsonValue* value = object.find(name);
  if (value == nullptr || value->array() == nullptr) return texts;
  for (const JsonValue& item : *value->array())
    if (item.string() != nullptr) texts.push_back(*item.string());
  return texts;
}

}  // namespace kullback::report
