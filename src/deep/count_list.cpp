#include "deep/count_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.hpp"

namespace kullback::deep {

std::vector<std::int64_t> count_list(const std::string& option, const std::string& text,
                                     const std::string& hint) {
  std::vector<std::int64_t> counts;
  if (text == "none") return counts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::int64_t value = 0;
    const auto [stop, status] = std::from_chars(text.data() + begin, text.data() + end, value);
    if (status != std::errc() || stop != text.data() + end || value < 1 || value > 1'000'000)
      throw Error(ErrorKind::usage,
                  fmt::format("--{} is '{}'; it must be whole numbers above 0.", option, text), hint);
    counts.push_back(value);
    begin = end + 1;
  }
  return counts;
}

}  // namespace kullback::deep
