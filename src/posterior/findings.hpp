// Findings about a posterior from its draws and its sampler's columns.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/finding.hpp"
#include "base/option.hpp"
#include "posterior/posterior.hpp"
#include "posterior/summary.hpp"

namespace kullback::posterior {

struct FindingOptions {
  std::size_t max_depth = 10;  // of NUTS, for saturated trees
  // For the advice, which names only options that the method reads.
  std::optional<OptionTable> method_options = {};  // not set: all
  double target_accept = 0.8;
  std::size_t warmup = 1000;
  std::size_t thin = 1;
  double max_rhat = 1.01;
  double min_ess = 400;  // per quantity, bulk and tail
  double min_e_bfmi = 0.3;
  bool is_markov = true;
  // Which of these columns are known to have values in a bounded range; empty: nothing is known.
  std::function<std::vector<bool>(std::span<const std::size_t>)> are_bounded = {};

  bool reads(std::string_view option) const;
};

// Divergences and where they sit, saturated tree depth, low energy ratio, R-hat, ESS, chains that disagree,
// marginals without a finite variance.
Findings find_problems(const Posterior& posterior, const std::vector<SummaryRow>& rows,
                       const FindingOptions& options);

// Prior-data conflict by power-scaling (Kallioinen, Paananen, Bürkner, Vehtari 2024) from the log prior and
// log likelihood of each draw (chain after chain).
Findings find_prior_conflict(const Posterior& posterior, const std::vector<double>& log_prior,
                             const std::vector<double>& log_likelihood);

}  // namespace kullback::posterior
