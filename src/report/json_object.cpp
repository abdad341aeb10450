#include "report/json_object.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/json.hpp"

namespace kullback::report {

std::string json_rounded(double number, int digits) {
  if (!std::isfinite(number)) return "null";
  return fmt::format("{:.{}g}", number, digits);
}

namespace {

template <class Items, class Text>
std::string joined(const Items& items, const Text& text) {
  std::string result = "[";
  for (const auto& item : items) {
    if (result.size() > 1) result += ',';
    result += text(item);
  }
  return result + "]";
}

}  // namespace

std::string json_numbers(std::span<const double> numbers, int digits) {
  return joined(numbers, [digits](double number) { return json_rounded(number, digits); });
}

std::string json_strings(std::span<const std::string> words) {
  return joined(words, [](const std::string& word) { return json_string(word); });
}

std::string json_array(std::span<const std::string> items) {
  return joined(items, [](const std::string& item) { return item; });
}

void JsonObject::add(std::string_view name, std::string_view json) {
  if (!text_.empty()) text_ += ',';
  text_ += json_string(name);
  text_ += ':';
  text_ += json;
}

JsonObject& JsonObject::text(std::string_view name, std::string_view words) {
  add(name, json_string(words));
  return *this;
}

JsonObject& JsonObject::number(std::string_view name, double number, int digits) {
  add(name, json_rounded(number, digits));
  return *this;
}

JsonObject& JsonObject::number(std::string_view name, const std::optional<double>& number) {
  if (number) add(name, json_rounded(*number));
  return *this;
}

JsonObject& JsonObject::count(std::string_view name, std::size_t count) {
  add(name, std::to_string(count));
  return *this;
}

JsonObject& JsonObject::truth(std::string_view name, bool is_true) {
  add(name, is_true ? "true" : "false");
  return *this;
}

JsonObject& JsonObject::raw(std::string_view name, std::string_view json) {
  add(name, json);
  return *this;
}

}  // namespace kullback::report
