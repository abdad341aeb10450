// Options as texts by name, to a Request: the one reading that the command line and the C interface share.
#pragma once

#include <string>
#include <string_view>

#include "fit/options.hpp"
#include "fit/request.hpp"
#include "infer/algorithm.hpp"

namespace kullback::fit {

// Whether the method reads the option, and the names of all that do.
bool reads(const infer::Method& method, std::string_view option);
std::string methods_reading(std::string_view option);

// Throws Error usage with the nearest name where there is no such method.
const infer::Method& method_named(const std::string& name);

// Throws Error usage for an option that the method does not read, or a value that is none.
infer::Options options_of(const infer::Method& method, const GivenTexts& given);

// Throws Error usage for a name that is no option of a fit, with the nearest that is.
void check_names(const GivenTexts& given);

// The request of a new fit; `out` is as given, and may be empty. Throws Error usage.
Request make_request(const GivenTexts& given, Inputs inputs);

// The request of a fit that goes on, from "resume". Throws Error usage where options are given that the
// folder decides.
Request make_resuming_request(const GivenTexts& given, const Inputs& inputs);

}  // namespace kullback::fit
