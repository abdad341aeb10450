// The searches behind find_problems, one for each kind of trouble; each appends what it finds.
#pragma once

#include <string>
#include <vector>

#include "posterior/findings.hpp"

namespace kullback::posterior {

void find_divergences(const Posterior& posterior, const FindingOptions& options, Findings& findings);
void find_saturated_trees(const Posterior& posterior, const FindingOptions& options, Findings& findings);
void find_low_energy_ratio(const Posterior& posterior, const FindingOptions& options, Findings& findings);
void find_stuck_chains(const Posterior& posterior, const FindingOptions& options, Findings& findings);
void find_chains_apart(const Posterior& posterior, const std::vector<SummaryRow>& rows,
                       const FindingOptions& options, Findings& findings);
void find_high_rhat(const Posterior& posterior, const std::vector<SummaryRow>& rows,
                    const FindingOptions& options, Findings& findings);
void find_low_ess(const Posterior& posterior, const std::vector<SummaryRow>& rows,
                  const FindingOptions& options, Findings& findings);
void find_too_few_draws(const Posterior& posterior, const std::vector<SummaryRow>& rows, Findings& findings);
void find_heavy_tails(const Posterior& posterior, const std::vector<SummaryRow>& rows,
                      const FindingOptions& options, Findings& findings);
void find_bad_weights(const Posterior& posterior, Findings& findings);
void find_not_finite(const Posterior& posterior, Findings& findings);

// The variable whose elements exchange places, between chains or while a chain runs, as the components of a
// mixture do; empty where none does.
std::string switching_labels(const Posterior& posterior);

// "1 chain", "3 chains".
std::string counted(std::size_t count, const std::string& noun);
// "12 %", "0.8 %", "below 0.1 %".
std::string percent(double share);
// "a", "a and b", "a, b and c".
std::string listed(const std::vector<std::string>& items);
// "chain 3", "chains 1 and 4"; indices from 0.
std::string chains_text(const std::vector<std::size_t>& chains);
// Three significant digits.
std::string short_number(double number);

// Names and numbers, the worst first: "tau (1.83), mu (1.2) and 3 more".
struct Named {
  std::string name;
  double number = 0;
};
std::string worst_of(const std::vector<Named>& sorted, int digits = 3);

// How far `chosen` draws lie from the rest: the probability that a chosen one is above another (ties half),
// and the value that separates them best (Kolmogorov and Smirnov's). None where a value is NaN.
struct Separation {
  double auc = 0.5;
  double z = 0;           // (auc - 1/2) over its standard deviation when there is no difference
  bool is_below = false;  // the side where the chosen are
  double cut = 0;
  double cut_quantile = 0;  // of `cut` among all draws
  std::size_t beyond = 0;   // chosen draws on that side of the cut
};
Separation separation(const std::vector<double>& values, const std::vector<char>& chosen);

// How many times as common chosen draws are among the nearest neighbours of chosen ones, over all parameters
// together, as among all draws; 1 where that could be chance.
double crowding(const Posterior& posterior, const std::vector<char>& chosen);

}  // namespace kullback::posterior
