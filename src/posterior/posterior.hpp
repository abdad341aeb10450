// Named constrained draws by chain: what a fit ends in, whatever the method.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stats/chains.hpp"

namespace kullback::posterior {

// One variable of the program: columns [first, first + size) of the draws, the first index running fastest.
struct Variable {
  std::string name;
  std::vector<std::size_t> dims;  // empty: one number
  std::size_t first = 0;
  std::size_t size = 1;
};

// From the names of columns; a column that is no element of a full array is a variable of its own.
std::vector<Variable> find_variables(const std::vector<std::string>& names);

// "theta[1]", "L[2,1]" from "theta.1", "L.2.1".
std::string display_name(std::string_view column);

// What adaptation of a chain ended with, for the files.
struct AdaptationNote {
  double step_size = 0;
  std::string metric;  // "unit_e", "diag_e", "dense_e"
  std::vector<double> inv_metric;
};

// One point in the columns of a posterior.
struct Point {
  double log_density = 0;
  std::vector<double> columns;
};

struct Chain {
  std::size_t draws = 0;
  std::vector<double> columns;      // column after column: names() of the posterior
  std::vector<double> stats;        // column after column: stat_names
  std::vector<double> log_density;  // lp__
  std::vector<double> log_q;        // or empty
  std::vector<double> log_weight;   // or empty
  bool is_resampled = false;        // by weights: no draws of the method itself any more
  std::optional<Point> mode;        // that an approximation was built around
  std::optional<AdaptationNote> adaptation;
  double warmup_seconds = 0;
  double sampling_seconds = 0;
};

struct Posterior {
  std::vector<std::string> names;  // of the columns, CmdStan's: "theta.1"
  // Columns [0, parameters) are parameters, [parameters, generated) transformed parameters, the rest
  // generated quantities.
  std::size_t parameters = 0;
  std::size_t generated = 0;
  std::vector<std::string> stat_names;  // "accept_stat__", ...
  std::vector<Chain> chains;            // of equal length, but for interrupted runs

  std::size_t draws() const;  // of the shortest chain
  // The first draws() draws of each chain, one column, chain after chain; `stats::Chains` over it.
  std::vector<double> column(std::size_t index) const;
  std::vector<double> stat(std::string_view name) const;  // empty where there is none
  std::vector<double> log_density() const;
  std::vector<double> log_q() const;       // empty where draws have none
  std::vector<double> log_weight() const;  // empty where draws have none
  std::vector<double> weights() const;     // the same with the sum 1
  stats::Chains chains_of(const std::vector<double>& values) const;
};

}  // namespace kullback::posterior
