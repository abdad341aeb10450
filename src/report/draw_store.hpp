// The draws as the page holds them: rounded, thinned and, of very many quantities, only of some.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/result.hpp"

namespace kullback::report {

struct StoreLimits {
  std::size_t bytes = 1'100'000;     // of text, all columns together
  std::size_t most_draws = 4000;     // of a quantity, all chains together
  std::size_t fewest_draws = 1000;   // before quantities are left out
  std::size_t most_divergent = 200;  // that thinning would have dropped
};

// Which draws of which rows of the table are kept. Draws are thinned evenly until all rows fit into `bytes`,
// to fewest_draws at least; then rows are left out, the last of largest variables first. Rows with R-hat
// above 1.01 stay (the worst hundred), and so does lp__.
struct StorePlan {
  std::size_t every = 1;               // n-th draw of each chain
  std::size_t kept = 0;                // draws of each chain
  std::vector<std::size_t> divergent;  // further draws, as indices over all chains one after another
  std::vector<std::size_t> rows;       // ascending
};
StorePlan plan_store(const Result& result, const StoreLimits& limits = {});

// {"chains", "drawn", "kept", "every", "names", "parameters", "generated", "columns", "divergent",
// "weights"}; empty where there are no draws. A column is 16-bit numbers between "low" and "high", or 32-bit
// floats where that would be too coarse; each in base 64, least byte first: kept draws of chain after chain,
// then the further divergent ones.
std::string draws_json(const Result& result);

// The column of row `row`: lp__ is the log density.
std::vector<double> row_values(const Result& result, std::size_t row);
// They sum to 1; empty where draws count alike.
std::vector<double> draw_weights(const posterior::Posterior& draws);

}  // namespace kullback::report
