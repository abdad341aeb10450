// Options as text, by name: for the command line and for records of runs.
#pragma once

#include <initializer_list>
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
// Throws Error usage for the first of these counts that is 0.
void require_one_or_more(const Options& options, std::initializer_list<std::string_view> names);

}  // namespace kullback::infer
