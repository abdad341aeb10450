// Where in a data file something is wrong; for the readers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace kullback::model {

// "data.json:3:14: " + message, as an Error.
[[noreturn]] void refuse_text(std::string_view name, std::string_view text, std::size_t offset,
                              const std::string& message, const std::string& hint = {});

// The same where line and column are known.
[[noreturn]] void refuse_place(std::string_view name, std::size_t line, std::size_t column,
                               const std::string& message, const std::string& hint = {});

}  // namespace kullback::model
