// The format that files have.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "data/read/format.hpp"

namespace kullback::data {

// Looks into the first file. Throws Error.
std::unique_ptr<Format> open_format(const SourceRequest& request,
                                    const std::vector<std::filesystem::path>& files);

}  // namespace kullback::data
