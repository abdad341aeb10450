#include "lang/check/names.hpp"

namespace kullback::lang {

Suffix suffix_of(std::string_view function) {
  if (function.ends_with("_rng")) return Suffix::rng;
  if (function.ends_with("_lp")) return Suffix::lp;
  if (function.ends_with("_jacobian")) return Suffix::jacobian;
  if (function.ends_with("_lpdf") || function.ends_with("_lupdf")) return Suffix::lpdf;
  if (function.ends_with("_lpmf") || function.ends_with("_lupmf")) return Suffix::lpmf;
  return Suffix::plain;
}

bool takes_bar(std::string_view function) {
  const Suffix suffix = suffix_of(function);
  return suffix == Suffix::lpdf || suffix == Suffix::lpmf || function.ends_with("_cdf") ||
         function.ends_with("_lcdf") || function.ends_with("_lccdf");
}

bool is_unnormalized(std::string_view function) {
  return function.ends_with("_lupdf") || function.ends_with("_lupmf");
}

std::string normalized(std::string_view function) {
  std::string name(function);
  if (is_unnormalized(function)) name.erase(name.size() - 4, 1);
  return name;
}

}  // namespace kullback::lang
