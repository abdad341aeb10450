// What readers of data files say of bad input: where, what was found, what is needed, one suggestion.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace kullback::data {

// A line of a text file, or a row of a binary one.
struct Where {
  const std::filesystem::path* file = nullptr;
  std::uint64_t number = 0;  // 1-based
  bool is_row = false;
};
std::string text_of(const Where& where);  // "data.csv:17", "data.npy, row 17"

// What was found, in quotes, fit for a line of a message.
std::string shown(std::string_view found);
// "1 row", "2 rows".
std::string counted(std::uint64_t count, std::string_view noun);

// Throw Error bad_input. `what` is a sentence without a full stop.
[[noreturn]] void refuse_file(const std::filesystem::path& file, const std::string& what,
                              std::string hint = {});
[[noreturn]] void refuse_at(const Where& where, const std::string& what, std::string hint = {});

// "Did you mean 'weight'?" where a name is near, "There are ..." otherwise.
std::string near_or_all(std::string_view name, const std::vector<std::string>& names);

}  // namespace kullback::data
