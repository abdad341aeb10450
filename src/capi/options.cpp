#include "capi/options.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/json.hpp"

namespace kullback::capi {

namespace {

[[noreturn]] void refuse(const JsonValue::Member& member, const char* needed) {
  throw Error(ErrorKind::usage, fmt::format("the option '{}': found {}, but {} is needed.", member.name,
                                            word_of(member.value), needed));
}

std::string joined(const JsonValue::Array& items) {
  std::string text;
  for (const JsonValue& item : items) {
    const std::string* string = item.string();
    text += (text.empty() ? "" : ", ") + (string != nullptr ? json_string(*string) : word_of(item));
  }
  return "[" + text + "]";
}

std::string joined(const JsonValue::Object& members) {
  std::string text;
  for (const JsonValue::Member& member : members) {
    const std::string* string = member.value.string();
    text += (text.empty() ? "" : ", ") + json_string(member.name) + ": " +
            (string != nullptr ? json_string(*string) : word_of(member.value));
  }
  return "{" + text + "}";
}

}  // namespace

JsonValue read_options(const char* text) {
  if (text == nullptr || *text == '\0') return JsonValue(JsonValue::Object());
  JsonValue read =
      parse_json(text, "options", "Options are a JSON object: {\"method\": \"nuts\", \"seed\": 1}.");
  if (read.object() == nullptr)
    throw Error(ErrorKind::usage, "options: found " + word_of(read) + ", but a JSON object is needed.");
  return read;
}

std::uint64_t count_of(const JsonValue::Member& member) {
  const JsonNumber* number = member.value.number();
  if (number == nullptr || !number->count) refuse(member, "a whole number from 0");
  return *number->count;
}

std::string text_of(const JsonValue::Member& member) {
  const std::string* text = member.value.string();
  if (text == nullptr) refuse(member, "a text");
  return *text;
}

std::vector<std::string> texts_of(const JsonValue::Member& member) {
  if (const std::string* one = member.value.string()) return {*one};
  const JsonValue::Array* items = member.value.array();
  if (items == nullptr) refuse(member, "a list of texts");
  std::vector<std::string> texts;
  for (const JsonValue& item : *items) {
    if (item.string() == nullptr) refuse(member, "a list of texts");
    texts.push_back(*item.string());
  }
  return texts;
}

std::string word_of(const JsonValue& value) {
  if (const bool* truth = value.boolean()) return *truth ? "true" : "false";
  if (const JsonNumber* number = value.number())
    return number->count ? std::to_string(*number->count) : fmt::format("{}", number->value);
  if (const std::string* text = value.string()) return *text;
  if (const JsonValue::Array* items = value.array()) return joined(*items);
  if (const JsonValue::Object* members = value.object()) return joined(*members);
  return "null";
}

std::string option_text(const OptionRecord* option, const JsonValue::Member& member) {
  if (option == nullptr) return word_of(member.value);
  if (option->type == OptionType::list) return fmt::format("{}\n", fmt::join(texts_of(member), "\n"));
  const std::string word = word_of(member.value);
  if (option->type != OptionType::flag || word == "0" || word == "1") return word;
  if (member.value.boolean() == nullptr) refuse(member, "true or false");
  return word;
}

}  // namespace kullback::capi
