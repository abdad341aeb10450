// Parts of an autoencoder that only make sense together.
#pragma once

#include <string_view>

namespace kullback::deep {

// By the names of the records. Throws Error usage.
void check_pairs(std::string_view family, std::string_view prior, std::string_view objective);

}  // namespace kullback::deep
