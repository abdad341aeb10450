// Options of the C interface: a JSON object.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json_value.hpp"
#include "base/option.hpp"

namespace kullback::capi {

// NULL and "" are an object without members. Throws Error where it is no object.
JsonValue read_options(const char* text);

// Each throws Error usage, "NAME: ... is needed.", where the value is of another kind.
std::uint64_t count_of(const JsonValue::Member& member);
std::string text_of(const JsonValue::Member& member);
std::vector<std::string> texts_of(const JsonValue::Member& member);  // an array of strings, or one

// As a command line would have it: 0.1, nuts, 1; an object or array as JSON.
std::string word_of(const JsonValue& value);

// The text of an option (GivenTexts); null: of one that no table has. Throws Error usage for a flag or a list
// that is none.
std::string option_text(const OptionRecord* option, const JsonValue::Member& member);

}  // namespace kullback::capi
