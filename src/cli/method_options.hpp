// The options of methods on the command line, from their tables.
#pragma once

#include <string_view>

#include "cli/verb.hpp"
#include "fit/request_options.hpp"

namespace kullback::cli {

using fit::method_named;
using fit::options_of;

// Adds the options of all methods, with the names of those that read each, or of one; `given` must outlive
// parsing.
void add_method_options(const Command& verb, GivenTexts& given, std::string_view only = {});

}  // namespace kullback::cli
