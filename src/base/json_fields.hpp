// Members of a JSON object that must be there, with errors that name file and member.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/json_value.hpp"

namespace kullback {

// Of a value that outlives it. All throw Error bad_input where a member is missing or of another kind.
class JsonFields final {
 public:
  JsonFields(const JsonValue& object, std::string file);

  bool has(const std::string& name) const;
  const std::string& text(const std::string& name) const;
  double number(const std::string& name) const;
  std::uint64_t count(const std::string& name) const;
  bool flag(const std::string& name) const;
  std::vector<std::string> texts(const std::string& name) const;
  std::vector<std::int64_t> counts(const std::string& name) const;
  std::vector<double> numbers(const std::string& name) const;
  std::vector<std::vector<std::string>> lists_of_texts(const std::string& name) const;
  std::map<std::string, std::string> words(const std::string& name) const;
  std::vector<std::pair<std::string, double>> named_numbers(const std::string& name) const;  // as they come
  JsonFields object(const std::string& name) const;
  std::vector<JsonFields> objects(const std::string& name) const;

  // Throws that the member must be `needed`.
  [[noreturn]] void refuse(const std::string& name, const std::string& needed) const;

 private:
  const JsonValue& member(const std::string& name) const;
  const JsonValue::Array& array(const std::string& name) const;
  const JsonValue::Object& members(const std::string& name) const;

  std::vector<std::string> texts_of(const JsonValue::Array& items, const std::string& name) const;

  const JsonValue& object_;
  std::string file_;
};

std::string json_words(const std::map<std::string, std::string>& words);
std::string json_texts(const std::vector<std::string>& texts);
std::string json_counts(const std::vector<std::int64_t>& counts);

}  // namespace kullback
