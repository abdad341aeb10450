// zlib streams (RFC 1950, 1951) for pictures: repetitions are found, codes are the fixed ones.
#pragma once

#include <string>
#include <string_view>

namespace kullback::deep {

std::string zlib_bytes(std::string_view bytes);

}  // namespace kullback::deep
