// Checking and mending UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace kullback {

bool is_valid_utf8(std::string_view text);

// Each invalid byte becomes U+FFFD.
std::string replace_invalid_utf8(std::string_view text);

}  // namespace kullback
