// Clauses for parameters and values outside their domains: "the rate is -1; it must be positive".
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

namespace kullback::conjugate {

inline constexpr double kHalfLogTwoPi = 0.91893853320467274178;

inline std::string positive_fault(const char* what, double x) {
  if (x > 0 && std::isfinite(x)) return {};
  return fmt::format("the {} is {}; it must be positive and finite", what, x);
}
inline std::string finite_fault(const char* what, double x) {
  if (std::isfinite(x)) return {};
  return fmt::format("the {} is {}; it must be finite", what, x);
}
inline std::string definite_fault(const char* what) {
  return fmt::format("the {} is not positive definite", what);
}
inline std::string mean_fault(const char* needed) {
  return fmt::format("no member has these mean parameters; {}", needed);
}
inline std::string first_of(std::string a, std::string b) { return a.empty() ? b : a; }

// "mean 1", ..., or "V 1,1", ...
inline void add_names(std::vector<std::string>& names, const char* name, std::size_t count) {
  for (std::size_t i = 1; i <= count; ++i) names.push_back(fmt::format("{} {}", name, i));
}
inline void add_matrix_names(std::vector<std::string>& names, const char* name, std::size_t d) {
  for (std::size_t i = 1; i <= d; ++i)
    for (std::size_t j = 1; j <= d; ++j) names.push_back(fmt::format("{} {},{}", name, i, j));
}

}  // namespace kullback::conjugate
