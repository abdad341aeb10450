// The options of methods on the command line, from infer/options.def.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "infer/algorithm.hpp"
#include "infer/options.hpp"

namespace CLI {
class App;
}

namespace kullback::cli {

// What the user gave, as text by name.
using GivenOptions = std::map<std::string, std::string>;

// Adds the flags of all methods, or of one; `given` must outlive the app.
void add_method_options(CLI::App& verb, GivenOptions& given, std::string_view only = {});

// Throws Error usage with the nearest name where there is no such method.
const infer::Method& method_named(const std::string& name);

// Throws Error usage for an option that the method does not read, or a value that is none.
infer::Options options_of(const infer::Method& method, const GivenOptions& given);

}  // namespace kullback::cli
