#include "deep/counts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/option_values.hpp"

namespace kullback::deep {

std::vector<std::int64_t> counts_of(const OptionValues& values, const TextOption& option) {
  const std::string_view text = values[option];
  std::vector<std::int64_t> counts;
  if (text == "none") return counts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const auto count = read_count(text.substr(begin, end - begin));
    const std::string flag = flag_of(option.name);
    if (!count || *count < 1 || *count > 1'000'000)
      throw Error(ErrorKind::usage, fmt::format("{} is '{}'; it must be whole numbers above 0.", flag, text),
                  fmt::format("Write {} 64,64 for two layers, {} none for none.", flag, flag));
    counts.push_back(static_cast<std::int64_t>(*count));
    begin = end + 1;
  }
  return counts;
}

}  // namespace kullback::deep
