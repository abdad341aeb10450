// Lists of counts as options have them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kullback::deep {

// "200,200" of --option, or "none". Throws Error usage with the hint.
std::vector<std::int64_t> count_list(const std::string& option, const std::string& text,
                                     const std::string& hint);

}  // namespace kullback::deep
