// What an option's value must be, with messages that say what was given and what is needed.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>

namespace kullback::cli {

// A whole number from `low` to `high`.
CLI::Validator whole_number(std::uint64_t low, std::uint64_t high);

// "500MB", "4 GB", "1e6": turned into a whole number of bytes, at least 1.
CLI::Validator memory_size();

}  // namespace kullback::cli
