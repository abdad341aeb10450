// Text for people, in lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/finding.hpp"

namespace kullback::run {

// Only printable ASCII reaches the terminal.
std::string printable(std::string text);

// Adds `words` in lines of at most `width` characters, broken at spaces and indented as the first; a longer
// word is left whole.
void append_wrapped(std::string& text, std::string_view first_indent, std::string_view words,
                    std::size_t width);

std::string findings_text(const Findings& findings, std::size_t width = 80);

}  // namespace kullback::run
