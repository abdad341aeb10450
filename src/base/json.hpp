// Writing JSON.
#pragma once

#include <string>
#include <string_view>

namespace kullback {

// With its quotes; what is not UTF-8 becomes U+FFFD, so that the result is always valid.
std::string json_string(std::string_view text);

}  // namespace kullback
