// A JSON file of a run's folder, read member by member. One that is missing keeps its default, unless nothing
// can be done without it; one of a newer version is passed over. What is of another type is refused with the
// file's name.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/finding.hpp"
#include "base/json_value.hpp"

namespace kullback::run {

class JsonReader final {
 public:
  explicit JsonReader(const std::string& path)
      : path_(path), root_(parse_json(read_file(path), path, kDamaged)) {
    if (root_.object() == nullptr) refuse("must be a JSON object");
  }

  const JsonValue& root() const { return root_; }

  [[noreturn]] void refuse(const std::string& what) const { refuse_with_hint(what, kDamaged); }

  [[noreturn]] void refuse_with_hint(const std::string& what, const char* hint) const {
    throw Error(ErrorKind::bad_input, path_ + ": " + what + ".", hint);
  }

  [[noreturn]] void refuse(std::string_view name, std::string_view needed) const {
    refuse("'" + std::string(name) + "' must be " + std::string(needed));
  }

  void text(const JsonValue& object, std::string_view name, std::string& result) const {
    const JsonValue* value = object.find(name);
    if (value == nullptr) return;
    if (value->string() == nullptr) refuse(name, "a string");
    result = *value->string();
  }

  void truth(const JsonValue& object, std::string_view name, bool& result) const {
    const JsonValue* value = object.find(name);
    if (value == nullptr) return;
    if (value->boolean() == nullptr) refuse(name, "true or false");
    result = *value->boolean();
  }

  template <class Count>
  void count(const JsonValue& object, std::string_view name, Count& result) const {
    const JsonValue* value = object.find(name);
    if (value == nullptr) return;
    if (value->number() == nullptr || !value->number()->count) refuse(name, "a count");
    result = static_cast<Count>(*value->number()->count);
  }

  std::vector<std::size_t> counts(const JsonValue& object, std::string_view name) const {
    std::vector<std::size_t> result;
    const JsonValue* value = object.find(name);
    if (value == nullptr) return result;
    if (value->array() == nullptr) refuse(name, "an array of counts");
    for (const JsonValue& item : *value->array()) {
      if (item.number() == nullptr || !item.number()->count) refuse(name, "an array of counts");
      result.push_back(static_cast<std::size_t>(*item.number()->count));
    }
    return result;
  }

  // A double or an optional one.
  template <class Number>
  void number(const JsonValue& object, std::string_view name, Number& result) const {
    const JsonValue* value = object.find(name);
    if (value != nullptr) result = number_of(name, *value);
  }

  // Calls use(object) for each object of an array.
  template <class Use>
  void each(std::string_view name, Use use) const {
    const JsonValue* value = root_.find(name);
    if (value == nullptr) return;
    if (value->array() == nullptr) refuse(name, "an array");
    for (const JsonValue& item : *value->array()) {
      if (item.object() == nullptr) refuse(name, "an array of objects");
      use(item);
    }
  }

  // Calls use(name, word) for each member of an object.
  template <class Use>
  void each_word(std::string_view name, Use use) const {
    const JsonValue* value = root_.find(name);
    if (value == nullptr) return;
    if (value->object() == nullptr) refuse(name, "an object");
    for (const JsonValue::Member& member : *value->object()) {
      if (member.value.string() == nullptr) refuse(name, "an object of strings");
      use(member.name, *member.value.string());
    }
  }

  Findings findings() const {
    Findings findings;
    each("findings", [&](const JsonValue& object) {
      Finding& finding = findings.emplace_back();
      text(object, "code", finding.code);
      text(object, "message", finding.message);
      text(object, "evidence", finding.evidence);
      text(object, "advice", finding.advice);
    });
    return findings;
  }

 private:
  static constexpr const char* kDamaged =
      "The file was written by another program, or is damaged; fit again.";

  double number_of(std::string_view name, const JsonValue& value) const {
    if (value.number() != nullptr) return value.number()->value;
    const std::string* word = value.string();
    if (word != nullptr && *word == "NaN") return std::numeric_limits<double>::quiet_NaN();
    if (word != nullptr && *word == "Infinity") return std::numeric_limits<double>::infinity();
    if (word != nullptr && *word == "-Infinity") return -std::numeric_limits<double>::infinity();
    refuse(name, "a number");
  }

  std::string path_;
  JsonValue root_;
};

}  // namespace kullback::run
