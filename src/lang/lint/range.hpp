// Between which values an expression lies, as far as declarations and the functions in it tell.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "lang/lint/facts.hpp"

namespace kullback::lang {

// Every element of the value lies in [lo, hi]. A side is `free` where values of parameters exist that bring
// the value as near to that end as one likes: only then is it an error to need more.
struct Range {
  double lo = -std::numeric_limits<double>::infinity();
  double hi = std::numeric_limits<double>::infinity();
  bool free_lo = false;
  bool free_hi = false;

  bool free_both() const { return free_lo && free_hi && lo == -hi && hi > 1e300; }
};

class Ranges final {
 public:
  explicit Ranges(const Facts& facts) : facts_(facts), cache_(facts.variables.size()) {}

  Range of(const Expr& expr) { return of(expr, 0); }
  Range of(const Variable& variable) { return of(variable, 0); }

 private:
  Range of(const Expr& expr, int depth);
  Range of(const Variable& variable, int depth);
  Range binary(const Expr& expr, int depth);
  Range leaf(const Expr& expr, int depth);
  Range unary(const Unary& unary, int depth);
  Range call(const Call& call, int depth);
  Range hull(List<const Expr*> list, int depth);
  Range declared(const Variable& variable, int depth);

  const Facts& facts_;
  std::vector<std::optional<Range>> cache_;
};

// The support is bounded, so that without any other prior the variable is uniform and proper: simplexes,
// unit vectors, correlations, and whatever has a lower and an upper bound.
bool is_bounded(const SizedType& type);

}  // namespace kullback::lang
