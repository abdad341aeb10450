// Members of an object in one of our JSON files; a member that is not there is NaN, empty or false.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json_value.hpp"

namespace kullback::report {

double number_in(const JsonValue& object, std::string_view name);  // also of "NaN", "Infinity", "-Infinity"
std::string text_in(const JsonValue& object, std::string_view name);
bool truth_in(const JsonValue& object, std::string_view name);
std::vector<std::string> texts_in(const JsonValue& object, std::string_view name);

}  // namespace kullback::report
