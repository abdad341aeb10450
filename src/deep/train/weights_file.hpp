// Parameters and states of models in a file, each array by its name.
#pragma once

#include <filesystem>
#include <string>

#include "deep/net/layout.hpp"
#include "deep/train/safetensors.hpp"

namespace kullback::deep {

// Copies the tensor of that name. Throws Error bad_input where the file has none, or one of another shape: it
// is of another `what`.
void take_tensor(const std::filesystem::path& file, const TensorFile& tensors, const std::string& name,
                 const torch::Tensor& into, const std::string& what = "model");

void save_parameters(const std::filesystem::path& file, const std::string& format, const Layout& layout,
                     const Parameters& parameters);
// Copies them into `parameters`. Throws Error bad_input where the file is of another net.
void load_parameters(const std::filesystem::path& file, const Layout& layout, const Parameters& parameters);

}  // namespace kullback::deep
