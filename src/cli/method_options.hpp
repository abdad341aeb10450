// The options of fits and of methods on the command line, from fit/options.def and the tables of methods.
#pragma once

#include <string_view>

#include "cli/verb.hpp"
#include "fit/request_options.hpp"

namespace kullback::cli {

using fit::GivenOptions;
using fit::method_named;
using fit::options_of;

// Adds the flags of all methods, or of one; `given` must outlive the app.
void add_method_options(const Command& verb, GivenOptions& given, std::string_view only = {});

// Adds the flags of a fit that are no method's.
void add_fit_options(const Command& verb, GivenOptions& given);

}  // namespace kullback::cli
