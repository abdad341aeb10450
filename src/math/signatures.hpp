// The signatures of Stan's built-in functions and distributions, as data: one line per function,
// vectorised overloads implied by argument classes, never expanded unless printed.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "math/type.hpp"

namespace kullback::math {

struct Argument {
  Type type;
  bool data_only = false;  // declared: takes data only; found: is made of data only
};

struct Signature {
  Type result;
  std::vector<Argument> arguments;
};

// "(real, data array[] int) => vector", as stanc prints it.
std::string to_string(const Signature& signature);

bool operator==(const Argument& a, const Argument& b);
bool operator==(const Signature& a, const Signature& b);

// Built-in names carry their suffix: "normal_lpdf", not "normal"; "_lupdf" and "_lupmf" are not names
// of their own. Functions that take functions ("ode_rk45", "reduce_sum") are built in, but have no
// signatures here: see higher_order.hpp; resolve() calls them unknown.
bool is_builtin(std::string_view name);
std::vector<std::string_view> builtin_names();

// All overloads, expanded; for printing and for error messages.
std::vector<Signature> signatures(std::string_view name);

struct Resolution {
  enum class Outcome { unique, ambiguous, mismatch, unknown_name };
  Outcome outcome = Outcome::unknown_name;
  Signature signature = {};  // unique: the overload chosen
  // ambiguous: the equally cheap ones; mismatch: the nearest, at most five
  std::vector<Signature> candidates = {};
  // mismatch: why the nearest candidate fails. Argument counted from 0; -1 for a wrong count.
  int bad_argument = -1;
  bool needs_data = false;  // the type fits but the argument must be data only
  // unique: the built-in function chosen, empty when it is one of the given overloads; then its index.
  std::string_view function = {};
  int overload = -1;
};

// The overload with the fewest promotions, as Stan chooses it.
Resolution resolve(std::string_view name, std::span<const Argument> arguments);
// The same choice among given overloads (user functions).
Resolution resolve_among(std::span<const Signature> overloads, std::span<const Argument> arguments);

// The same choice among the built-in overloads of `name`, if there are any, and given ones: a user's
// function may overload a built-in name, and the cheapest of them all is called.
Resolution resolve_overloaded(std::string_view name, std::span<const Signature> overloads,
                              std::span<const Argument> arguments);

// The built-in function an operator means: "+" -> "add"; candidates are tried in order. One argument
// makes it the prefix (or, for "'", postfix) operator. Operators are spelt as in the language.
Resolution resolve_operator(std::string_view op, std::span<const Argument> arguments);
// `lhs op= rhs`: as above, for + - * / .* ./ only, when the result is exactly lhs's type; .* and ./ not
// for scalars. unknown_name when there is no such assignment operator.
Resolution resolve_assignment(std::string_view op, const Argument& lhs, const Argument& rhs);

// Distributions by family name: what exists for "normal".
struct Family {
  std::string_view name;
  bool discrete = false;  // lpmf, not lpdf
  bool has_cdf = false;   // _cdf
  bool has_rng = false;
  bool has_density = true;  // _lpdf or _lpmf; false for hmm_latent, which is only drawn from
  bool has_lcdf = false;    // _lcdf; truncation needs it and _lccdf
  bool has_lccdf = false;
};
const Family* find_family(std::string_view name);
std::vector<Family> families();

}  // namespace kullback::math
