// Values of options, from texts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kullback {

// The whole text is one number; else nothing.
std::optional<std::uint64_t> read_count(std::string_view text);
std::optional<double> read_number(std::string_view text);
// "500MB", "4 GB", "1e6": a whole number of bytes, at least 1.
std::optional<std::uint64_t> read_memory_size(std::string_view text);

// "'x' was given, but a whole number from 1 to 9 is needed" and the like: what is wrong with a text, without
// the option's name and the full stop.
std::string no_count_text(std::string_view text, std::uint64_t low, std::uint64_t high);
std::string no_memory_size_text(std::string_view text);

}  // namespace kullback
