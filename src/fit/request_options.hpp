// Options as texts by name, to a Request: the one reading that the command line and the C interface share.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fit/request.hpp"
#include "infer/algorithm.hpp"

namespace kullback::fit {

// What the user gave, by name ("target_accept"). The items of a list are one a line; a flag that is set is
// "1".
using GivenOptions = std::map<std::string, std::string>;

enum class OptionKind : unsigned char { value, flag, list };
enum class Kept : unsigned char { option, field, unkept };  // where run.json has it (fit/options.def)

// An option of a fit that is no method's.
struct FitOption {
  std::string_view name;
  OptionKind kind = OptionKind::value;
  bool is_kept = false;       // among the options of run.json
  std::string_view type;      // "COUNT"
  std::string_view fallback;  // as text; empty: none
  std::string_view help;
};

std::span<const FitOption> fit_options();

// Whether the method reads the option, and the names of all that do.
bool reads(const infer::Method& method, std::string_view option);
std::string methods_reading(std::string_view option);

// Throws Error usage with the nearest name where there is no such method.
const infer::Method& method_named(const std::string& name);

// Throws Error usage for an option that the method does not read, or a value that is none.
infer::Options options_of(const infer::Method& method, const GivenOptions& given);

std::vector<std::string> items_of(const std::string& list);

// Throws Error usage for a name that is no option of a fit, with the nearest that is.
void check_names(const GivenOptions& given);

// The request of a new fit; `out` is as given, and may be empty. Throws Error usage.
Request make_request(const GivenOptions& given, Inputs inputs);

// The request of a fit that goes on, from "resume". Throws Error usage where options are given that the
// folder decides.
Request make_resuming_request(const GivenOptions& given, const Inputs& inputs);

}  // namespace kullback::fit
