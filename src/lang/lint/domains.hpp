// Which values a distribution allows for its variate and its arguments.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "lang/lint/range.hpp"
#include "lang/program.hpp"

namespace kullback::lang {

enum class Domain : std::uint8_t {
  any,
  positive,
  nonnegative,
  unit,    // between 0 and 1
  binary,  // 0 or 1
  simplex,
  ordered,
  covariance,
  cholesky_covariance,
  correlation,
  cholesky_correlation,
};

struct ArgumentDomain {
  std::string_view name = {};
  Domain domain = Domain::any;
};

struct DistributionDomains {
  std::string_view family;
  Domain variate = Domain::any;
  std::array<ArgumentDomain, 6> arguments = {};
};

const DistributionDomains* find_domains(std::string_view family);

// "positive", "between 0 and 1", "a simplex".
std::string_view to_string(Domain domain);
// What a declaration should say: "<lower=0>", "simplex[...]".
std::string_view declaration(Domain domain);

bool is_interval(Domain domain);
// For intervals: the value is in the domain; a side of the range that is free leaves it.
bool allows(Domain domain, double value);
bool can_leave(Domain domain, const Range& range);
// For the others: a variable so declared, or its array element, is in the domain.
bool satisfies(Domain domain, Constraint constraint);

}  // namespace kullback::lang
