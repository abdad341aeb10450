// Writing the JSON of a section.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kullback::report {

// With so many significant digits; null where it is not finite.
std::string json_rounded(double number, int digits = 6);
std::string json_numbers(std::span<const double> numbers, int digits = 6);
std::string json_strings(std::span<const std::string> words);
std::string json_array(std::span<const std::string> items);  // of JSON texts

class JsonObject final {
 public:
  JsonObject& text(std::string_view name, std::string_view words);
  JsonObject& number(std::string_view name, double number, int digits = 6);
  JsonObject& number(std::string_view name,
                     const std::optional<double>& number);  // nothing where it is absent
  JsonObject& count(std::string_view name, std::size_t count);
  JsonObject& truth(std::string_view name, bool is_true);
  JsonObject& raw(std::string_view name, std::string_view json);

  std::string str() const { return "{" + text_ + "}"; }

 private:
  void add(std::string_view name, std::string_view json);

  std::string text_;
};

}  // namespace kullback::report
