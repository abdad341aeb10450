// A verb that works on the folder of a trained model: the options that all have, the device, and how it ends
// when it is interrupted.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deep/cli/arguments.hpp"
#include "deep/cli/verb.hpp"

namespace kullback::deep::cli {

struct FolderCall {
  const Arguments& arguments;
  const OptionValues& values;
  std::filesystem::path folder;  // the first positional argument
  torch::Device device;

  // The --out, or a file in the folder. Throws Error cannot_write where there is one and no --force.
  std::filesystem::path out(const TextOption& option, const std::string& fallback) const;
};

// The place of a --label among the labels of a conditional model; none where it was not given. Throws Error
// usage where the model is not conditional (no names) or does not know it.
std::optional<std::int64_t> label_of(std::optional<std::string_view> label,
                                     const std::vector<std::string>& known);

// What Ctrl-C does.
enum class Interruption {
  ends_program,
  asks_work,  // which looks at is_interrupted and throws an Error that says what was done and what is there
};

// A verb that calls `work` in one process.
Run add_folder_verb(const Command& verb, const Usage& usage, Interruption interruption,
                    std::function<void(const FolderCall&)> work);

}  // namespace kullback::deep::cli
