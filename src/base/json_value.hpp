// JSON as a tree, for the small files that we write ourselves. Strict (RFC 8259), and a key comes once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kullback {

struct JsonNumber {
  double value = 0;
  // The exact number where it is written without sign, point and exponent and fits.
  std::optional<std::uint64_t> count = {};
};

class JsonValue final {
 public:
  struct Member;
  using Array = std::vector<JsonValue>;
  using Object = std::vector<Member>;  // in the order of the text
  using Content = std::variant<std::monostate, bool, JsonNumber, std::string, Array, Object>;

  JsonValue() = default;  // null
  explicit JsonValue(Content content);

  bool is_null() const { return content_.index() == 0; }
  // Null where the value is of another kind.
  const bool* boolean() const { return std::get_if<bool>(&content_); }
  const JsonNumber* number() const { return std::get_if<JsonNumber>(&content_); }
  const std::string* string() const { return std::get_if<std::string>(&content_); }
  const Array* array() const { return std::get_if<Array>(&content_); }
  const Object* object() const { return std::get_if<Object>(&content_); }
  // Of an object; null where it has no such member, and where the value is no object.
  const JsonValue* find(std::string_view name) const;

 private:
  Content content_;
};

struct JsonValue::Member {
  std::string name;
  JsonValue value;
};

// Throws Error bad_input, "NAME: is no JSON: line 3, column 7: ...", with the hint.
JsonValue parse_json(std::string_view text, const std::string& name, const std::string& hint = {});

}  // namespace kullback
