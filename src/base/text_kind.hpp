// What a file seems to hold, for the message where it was given in place of another.
#pragma once

#include <string_view>

namespace kullback {

enum class TextKind : unsigned char { unknown, empty, binary, json, table, r_dump, stan };

TextKind text_kind(std::string_view text);

// "a Stan program", "a table (CSV)", "a NumPy array"; nothing where it is not known.
std::string_view text_kind_name(std::string_view text);

}  // namespace kullback
