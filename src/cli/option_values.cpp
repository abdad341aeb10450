#include "cli/option_values.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "fit/option_values.hpp"

namespace kullback::cli {

CLI::Validator whole_number(std::uint64_t low, std::uint64_t high) {
  return CLI::Validator(
      [low, high](const std::string& text) -> std::string {
        const std::optional<std::uint64_t> number = fit::read_count(text);
        if (number && *number >= low && *number <= high) return {};
        return fit::no_count_text(text, low, high);
      },
      fmt::format("{} to {}", low, high));
}

CLI::Validator memory_size() {
  return CLI::Validator(
      [](std::string& text) -> std::string {
        const std::optional<std::uint64_t> bytes = fit::read_memory_size(text);
        if (!bytes) return fit::no_memory_size_text(text);
        text = std::to_string(*bytes);
        return {};
      },
      "");
}

}  // namespace kullback::cli
