// Heavy tails: k-hat is the shape of a generalised Pareto distribution of the M = min(S / 5, 3 sqrt(S / r))
// of S draws that lie farthest out, r their relative efficiency; the variance is infinite where k >= 1/2. The
// standard error of k-hat is about (1 + k) / sqrt(r M). A marginal is named where k-hat is two standard
// errors above 1/2.
//
// Draws alone cannot tell a heavy tail from a bounded quantity whose mass lies near 0, with rare larger
// values (phi^100 of an autoregression looks like a tail with k-hat above 1, and is at most 1): marginals
// that FindingOptions::are_bounded names are left out.
#include "posterior/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "posterior/finding_parts.hpp"
#include "stats/psis.hpp"

namespace kullback::posterior {

namespace {

constexpr std::size_t kDrawsForTails = 200;
constexpr double kStandardErrors = 2.0;
constexpr int kAllDigits = 15;

double tail_limit(double draws, double efficiency) {
  const double r = std::clamp(efficiency, 0.01, 1.0);
  const double tail = std::min(0.2 * draws, 3 * std::sqrt(draws / r));
  return 0.5 + kStandardErrors * 1.5 / std::sqrt(r * tail);
}

bool is_constant(const std::vector<double>& values) {
  return std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
}

bool is_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

double efficiency(const SummaryRow& row, std::size_t draws) {
  const double ess = std::min(row.ess_bulk.value_or(NAN), row.ess_tail.value_or(NAN));
  return std::isnan(ess) ? 1 : ess / static_cast<double>(draws);
}

// Quick to answer, and false for nearly all marginals: the farthest draw of a tail with k above 1/2 lies many
// times as far beyond the 95 % quantile as that lies from the median (a normal's once, an exponential's
// twice).
bool may_be_heavy(const SummaryRow& row, const std::vector<double>& values) {
  constexpr double kFar = 3.0;
  const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
  return *highest - row.q95 > kFar * (row.q95 - row.q50) || row.q5 - *lowest > kFar * (row.q50 - row.q5);
}

// A column and what was found of it.
struct Element {
  std::size_t column = 0;
  double number = 0;
};

void drop_bounded(const FindingOptions& options, std::vector<Element>& found) {
  if (found.empty() || !options.are_bounded) return;
  std::vector<std::size_t> columns;
  for (const Element& element : found) columns.push_back(element.column);
  const std::vector<bool> is_bounded = options.are_bounded(columns);
  std::vector<Element> kept;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (!is_bounded[i]) kept.push_back(found[i]);
  found = std::move(kept);
}

// One line for each variable, the largest first; "Sigma, 4855 of 10000 elements" where there are many.
std::vector<Named> by_variable(const Posterior& posterior, const std::vector<Element>& found) {
  constexpr std::size_t kOneByOne = 3;
  std::vector<Named> lines;
  auto next = found.begin();
  for (const Variable& variable : find_variables(posterior.names)) {
    const auto first = next;
    while (next != found.end() && next->column < variable.first + variable.size) ++next;
    const auto count = static_cast<std::size_t>(next - first);
    if (count <= kOneByOne) {
      for (auto element = first; element != next; ++element)
        lines.push_back({display_name(posterior.names[element->column]), element->number});
      continue;
    }
    const auto worst =
        std::max_element(first, next, [](const Element& a, const Element& b) { return a.number < b.number; });
    lines.push_back(
        {fmt::format("{}, {} of {} elements, at most", variable.name, count, variable.size), worst->number});
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const Named& a, const Named& b) { return a.number > b.number; });
  return lines;
}

}  // namespace

void find_heavy_tails(const Posterior& posterior, const std::vector<SummaryRow>& rows,
                      const FindingOptions& options, Findings& findings) {
  const std::size_t draws = posterior.draws() * posterior.chains.size();
  if (draws < kDrawsForTails || !posterior.log_weight().empty()) return;
  if (rows.size() < posterior.names.size()) return;
  const std::size_t skipped = rows.size() - posterior.names.size();  // lp__
  std::vector<Element> heavy;
  for (std::size_t i = 0; i < posterior.names.size(); ++i) {
    const SummaryRow& row = rows[skipped + i];
    const std::vector<double> values = posterior.column(i);
    if (is_constant(values) || !is_finite(values) || !may_be_heavy(row, values)) continue;
    const double khat = stats::tail_khat(posterior.chains_of(values));
    const double limit = tail_limit(static_cast<double>(draws), efficiency(row, draws));
    if (std::isfinite(khat) && khat > limit) heavy.push_back({i, khat});
  }
  drop_bounded(options, heavy);
  if (heavy.empty()) return;
  const bool is_one = heavy.size() == 1;
  findings.push_back(
      {"heavy-tails",
       fmt::format("{} so heavy a tail that {} variance, perhaps {} mean, may be infinite.",
                   is_one ? display_name(posterior.names[heavy[0].column]) + " has"
                          : counted(heavy.size(), "quantity") + " have",
                   is_one ? "its" : "their", is_one ? "its" : "their"),
       fmt::format("Tail shape k-hat, infinite variance from 0.5 on: {}.",
                   worst_of(by_variable(posterior, heavy))),
       "Report medians and quantiles there, not mean and sd; if no such tail was meant, a prior with a "
       "lighter "
       "one (normal in place of Cauchy) removes it."});
}

void find_bad_weights(const Posterior& posterior, Findings& findings) {
  const std::vector<double> log_weight = posterior.log_weight();
  if (log_weight.empty()) return;
  const stats::Psis psis = stats::smooth_weights(log_weight);
  const double limit = stats::khat_threshold(log_weight.size());
  if (psis.khat < limit) return;
  findings.push_back(
      {"weights",
       "The weights of the draws rest on a few of them: the approximation is too far from the posterior to "
       "be corrected by weights.",
       fmt::format("k-hat is {}, reliable below {:.2f}; the {} weighted draws are worth {:.0f}.",
                   short_number(psis.khat), limit, log_weight.size(), psis.ess),
       "Use `--method nuts`, or take the numbers as a rough guide only."});
}

void find_not_finite(const Posterior& posterior, Findings& findings) {
  std::vector<Element> found;
  for (std::size_t i = 0; i < posterior.names.size(); ++i) {
    const std::vector<double> values = posterior.column(i);
    const auto count =
        std::count_if(values.begin(), values.end(), [](double v) { return !std::isfinite(v); });
    if (count > 0) found.push_back({i, static_cast<double>(count)});
  }
  if (found.empty()) return;
  findings.push_back(
      {"not-finite",
       fmt::format("{} {} NaN or infinite in some draws, so the summary cannot cover {}.",
                   counted(found.size(), "quantity"), found.size() == 1 ? "is" : "are",
                   found.size() == 1 ? "it" : "them"),
       fmt::format("Draws of {}: {}.", posterior.draws() * posterior.chains.size(),
                   worst_of(by_variable(posterior, found), kAllDigits)),
       "Look for a division by zero, a log or sqrt of what may be negative, an overflow of exp, or an "
       "element "
       "that is never assigned."});
}

bool FindingOptions::reads(std::string_view option) const {
  return !method_options || find_option(*method_options, option) != nullptr;
}

Findings find_problems(const Posterior& posterior, const std::vector<SummaryRow>& rows,
                       const FindingOptions& options) {
  Findings findings;
  if (posterior.draws() == 0) return findings;
  if (options.is_markov) {
    find_divergences(posterior, options, findings);
    find_saturated_trees(posterior, options, findings);
    find_low_energy_ratio(posterior, options, findings);
    find_stuck_chains(posterior, options, findings);
    find_chains_apart(posterior, rows, options, findings);
    find_too_few_draws(posterior, rows, findings);
    find_high_rhat(posterior, rows, options, findings);
    find_low_ess(posterior, rows, options, findings);
  } else {
    find_bad_weights(posterior, findings);
  }
  find_heavy_tails(posterior, rows, options, findings);
  find_not_finite(posterior, findings);
  return findings;
}

}  // namespace kullback::posterior
