// Tensors in files as Hugging Face's safetensors: 8 bytes with the size of a JSON header, the header, the
// numbers.
#pragma once

#include <torch/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kullback::deep {

struct TensorFile {
  std::vector<std::pair<std::string, torch::Tensor>> tensors = {};  // on the CPU, contiguous
  std::map<std::string, std::string> metadata = {};

  // Null where there is none.
  const torch::Tensor* find(const std::string& name) const;
};

std::string safetensors_bytes(const TensorFile& file);
// Written beside the file and renamed. Throws Error cannot_write.
void write_safetensors(const std::filesystem::path& path, const TensorFile& file);
// Throws Error missing_file, or bad_input that says what is wrong with the file.
TensorFile read_safetensors(const std::filesystem::path& path);

}  // namespace kullback::deep
