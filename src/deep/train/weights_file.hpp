// The parameters of one net in a file, each array by its name.
#pragma once

#include <filesystem>
#include <string>

#include "deep/net/layout.hpp"

namespace kullback::deep {

void save_parameters(const std::filesystem::path& file, const std::string& format, const Layout& layout,
                     const Parameters& parameters);
// Copies them into `parameters`. Throws Error bad_input where the file is of another net.
void load_parameters(const std::filesystem::path& file, const Layout& layout, const Parameters& parameters);

}  // namespace kullback::deep
