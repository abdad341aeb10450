// The record of what old Stan called differently: one line per function in old_functions.def, and the rules
// for names of densities.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kullback::lang {

enum class OldForm { rename, magnitude, choose, density_so_far, keep };

struct OldFunction {
  std::string_view name;
  OldForm form;
  std::string_view modern;
  int arguments;  // -1: any number
  std::string_view reason;
};

std::span<const OldFunction> old_functions();
const OldFunction* find_old_function(std::string_view name);

// Whether programs written before it was built in may define a function of this name.
bool is_new_builtin(std::string_view name);

// Whether an argument (counted from 0) of an old solver must be data.
bool takes_data(std::string_view function, std::size_t argument);

// "foo_log" is stem "foo" with ending `log`, and so on.
enum class OldEnding { log, cdf_log, ccdf_log };
struct OldDensity {
  std::string_view stem;
  OldEnding ending;
};
std::optional<OldDensity> split_old_density(std::string_view name);

// The modern ending: _lpdf or _lpmf, _lcdf, _lccdf.
std::string_view modern_ending(OldEnding ending, bool discrete);

// The modern name of a built-in: normal_log -> normal_lpdf. Empty where there is none.
std::string modern_density(std::string_view name);

// The table of docs/modernize.md.
std::string old_functions_table();

}  // namespace kullback::lang
