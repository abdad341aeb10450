#include "lang/lint/domains.hpp"

#include <limits>
#include <unordered_map>

namespace kullback::lang {
namespace {

const std::unordered_map<std::string_view, DistributionDomains>& table() {
  using enum Domain;
  static const std::unordered_map<std::string_view, DistributionDomains> rows = {
#define KULLBACK_DOMAINS(distribution, variate, ...) \
  {#distribution, DistributionDomains{#distribution, variate, {{__VA_ARGS__}}}},
#include "lang/lint/domains.def"
#undef KULLBACK_DOMAINS
  };
  return rows;
}

struct Words {
  std::string_view meaning;
  std::string_view declaration;
};

Words words(Domain domain) {
  switch (domain) {
    case Domain::any: break;
    case Domain::positive: return {"positive", "with <lower=0>"};
    case Domain::nonnegative: return {"nonnegative", "with <lower=0>"};
    case Domain::unit: return {"between 0 and 1", "with <lower=0, upper=1>"};
    case Domain::binary: return {"0 or 1", "with <lower=0, upper=1>"};
    case Domain::simplex: return {"a simplex", "as a simplex"};
    case Domain::ordered: return {"ordered", "as ordered"};
    case Domain::covariance: return {"symmetric and positive definite", "as a cov_matrix"};
    case Domain::cholesky_covariance: return {"a Cholesky factor", "as a cholesky_factor_cov"};
    case Domain::correlation: return {"a correlation matrix", "as a corr_matrix"};
    case Domain::cholesky_correlation:
      return {"the Cholesky factor of a correlation matrix", "as a cholesky_factor_corr"};
  }
  return {"anything", ""};
}

double least(Domain) { return 0; }

double greatest(Domain domain) {
  const bool limited = domain == Domain::unit || domain == Domain::binary;
  return limited ? 1 : std::numeric_limits<double>::infinity();
}

}  // namespace

const DistributionDomains* find_domains(std::string_view family) {
  const auto found = table().find(family);
  return found == table().end() ? nullptr : &found->second;
}

std::string_view to_string(Domain domain) { return words(domain).meaning; }

std::string_view declaration(Domain domain) { return words(domain).declaration; }

bool is_interval(Domain domain) { return domain >= Domain::positive && domain <= Domain::binary; }

bool allows(Domain domain, double value) {
  if (domain == Domain::positive && value == 0) return false;
  if (domain == Domain::binary) return value == 0 || value == 1;
  return value >= least(domain) && value <= greatest(domain);
}

bool can_leave(Domain domain, const Range& range) {
  return (range.free_lo && range.lo < least(domain)) || (range.free_hi && range.hi > greatest(domain));
}

bool satisfies(Domain domain, Constraint constraint) {
  switch (domain) {
    case Domain::simplex: return constraint == Constraint::simplex;
    case Domain::ordered:
      return constraint == Constraint::ordered || constraint == Constraint::positive_ordered;
    case Domain::covariance:
      return constraint == Constraint::cov_matrix || constraint == Constraint::corr_matrix;
    case Domain::cholesky_covariance:
      return constraint == Constraint::cholesky_factor_cov || constraint == Constraint::cholesky_factor_corr;
    case Domain::correlation: return constraint == Constraint::corr_matrix;
    case Domain::cholesky_correlation: return constraint == Constraint::cholesky_factor_corr;
    default: return true;
  }
}

}  // namespace kullback::lang
