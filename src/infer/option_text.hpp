// Options as text, by name: for the command line and for records of runs.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "infer/options.hpp"

namespace kullback::infer {

struct OptionInfo {
  std::string_view name;  // "target_accept"
  std::string_view help;
  std::string_view type;  // "NUMBER", "COUNT", "NAME", "0|1", "unit|diagonal|dense"
};

std::span<const OptionInfo> option_infos();
std::string flag_of(std::string_view name);  // "--target-accept"

std::string option_text(const Options& options, std::string_view name);
// Throws Error usage where the text is no value of the option.
void set_option(Options& options, std::string_view name, const std::string& text);

}  // namespace kullback::infer
