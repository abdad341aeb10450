#include "base/json_fields.hpp"

#include <utility>

#include "base/error.hpp"
#include "base/json.hpp"

namespace kullback {

namespace {

constexpr const char* kHint = "The file was written by another program, or is damaged; fit the model again.";

}  // namespace

JsonFields::JsonFields(const JsonValue& object, std::string file) : object_(object), file_(std::move(file)) {
  if (object.object() == nullptr)
    throw Error(ErrorKind::bad_input, file_ + ": must be a JSON object.", kHint);
}

void JsonFields::refuse(const std::string& name, const std::string& needed) const {
  throw Error(ErrorKind::bad_input, file_ + ": '" + name + "' must be " + needed + ".", kHint);
}

bool JsonFields::has(const std::string& name) const { return object_.find(name) != nullptr; }

const JsonValue& JsonFields::member(const std::string& name) const {
  const JsonValue* value = object_.find(name);
  if (value == nullptr) refuse(name, "there");
  return *value;
}

const JsonValue::Array& JsonFields::array(const std::string& name) const {
  const JsonValue::Array* items = member(name).array();
  if (items == nullptr) refuse(name, "an array");
  return *items;
}

const JsonValue::Object& JsonFields::members(const std::string& name) const {
  const JsonValue::Object* found = member(name).object();
  if (found == nullptr) refuse(name, "an object");
  return *found;
}

const std::string& JsonFields::text(const std::string& name) const {
  const std::string* found = member(name).string();
  if (found == nullptr) refuse(name, "a string");
  return *found;
}

double JsonFields::number(const std::string& name) const {
  const JsonNumber* found = member(name).number();
  if (found == nullptr) refuse(name, "a number");
  return found->value;
}

std::uint64_t JsonFields::count(const std::string& name) const {
  const JsonNumber* found = member(name).number();
  if (found == nullptr || !found->count) refuse(name, "a count");
  return *found->count;
}

bool JsonFields::flag(const std::string& name) const {
  const bool* found = member(name).boolean();
  if (found == nullptr) refuse(name, "true or false");
  return *found;
}

std::vector<std::string> JsonFields::texts(const std::string& name) const {
  return texts_of(array(name), name);
}

std::vector<std::vector<std::string>> JsonFields::lists_of_texts(const std::string& name) const {
  std::vector<std::vector<std::string>> result;
  for (const JsonValue& item : array(name)) {
    if (item.array() == nullptr) refuse(name, "an array of arrays of strings");
    result.push_back(texts_of(*item.array(), name));
  }
  return result;
}

std::vector<std::string> JsonFields::texts_of(const JsonValue::Array& items, const std::string& name) const {
  std::vector<std::string> result;
  for (const JsonValue& item : items) {
    if (item.string() == nullptr) refuse(name, "an array of strings");
    result.push_back(*item.string());
  }
  return result;
}

std::vector<std::int64_t> JsonFields::counts(const std::string& name) const {
  std::vector<std::int64_t> result;
  for (const JsonValue& item : array(name)) {
    if (item.number() == nullptr || !item.number()->count) refuse(name, "an array of counts");
    result.push_back(static_cast<std::int64_t>(*item.number()->count));
  }
  return result;
}

std::vector<double> JsonFields::numbers(const std::string& name) const {
  std::vector<double> result;
  for (const JsonValue& item : array(name)) {
    if (item.number() == nullptr) refuse(name, "an array of numbers");
    result.push_back(item.number()->value);
  }
  return result;
}

std::map<std::string, std::string> JsonFields::words(const std::string& name) const {
  std::map<std::string, std::string> result;
  for (const auto& [key, word] : members(name)) {
    if (word.string() == nullptr) refuse(name, "an object of strings");
    result[key] = *word.string();
  }
  return result;
}

std::vector<std::pair<std::string, double>> JsonFields::named_numbers(const std::string& name) const {
  std::vector<std::pair<std::string, double>> result;
  for (const auto& [key, value] : members(name)) {
    if (value.number() == nullptr) refuse(name, "an object of numbers");
    result.emplace_back(key, value.number()->value);
  }
  return result;
}

JsonFields JsonFields::object(const std::string& name) const {
  members(name);  // is an object
  return {member(name), file_};
}

std::vector<JsonFields> JsonFields::objects(const std::string& name) const {
  std::vector<JsonFields> result;
  for (const JsonValue& item : array(name)) {
    if (item.object() == nullptr) refuse(name, "an array of objects");
    result.emplace_back(item, file_);
  }
  return result;
}

std::string json_words(const std::map<std::string, std::string>& words) {
  std::string text = "{";
  for (const auto& [name, value] : words)
    text += (text.size() == 1 ? "" : ", ") + json_string(name) + ": " + json_string(value);
  return text + "}";
}

std::string json_texts(const std::vector<std::string>& texts) {
  std::string list = "[";
  for (const std::string& text : texts) list += (list.size() == 1 ? "" : ", ") + json_string(text);
  return list + "]";
}

std::string json_counts(const std::vector<std::int64_t>& counts) {
  std::string list = "[";
  for (const std::int64_t count : counts) list += (list.size() == 1 ? "" : ", ") + std::to_string(count);
  return list + "]";
}

}  // namespace kullback
