// Chains against each other: R-hat, ESS, chains that do not move, chains that went elsewhere.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "posterior/finding_parts.hpp"

namespace kullback::posterior {

namespace {

constexpr double kMovesAtLeast = 0.05;   // share of transitions that change a parameter
constexpr double kChainsDiffer = 1.1;    // R-hat
constexpr double kDrifts = 1.1;          // R-hat of the halves of one chain
constexpr double kGap = 2.0;             // between groups of chains, in standard deviations within a chain
constexpr double kManyMoreDraws = 20.0;  // more draws than that are no way out

std::size_t parameter_count(const Posterior& posterior) {
  return posterior.parameters > 0 ? posterior.parameters : posterior.names.size();
}

// Transitions of a chain that changed a parameter.
std::size_t moves(const Posterior& posterior, const Chain& chain) {
  std::size_t count = 0;
  for (std::size_t draw = 1; draw < chain.draws; ++draw) {
    bool moved = false;
    for (std::size_t i = 0; i < parameter_count(posterior) && !moved; ++i) {
      const double* column = chain.columns.data() + i * chain.draws;
      moved = column[draw] != column[draw - 1];
    }
    if (moved) ++count;
  }
  return count;
}

struct Moments {
  double mean = 0;
  double variance = 0;
};

Moments moments(std::span<const double> values) {
  const double sd = stats::sd(values);
  return {stats::mean(values), sd * sd};
}

// The widest gap between neighbouring chain means of one parameter: chains below it and above it.
struct Split {
  std::size_t column = 0;
  double gap = 0;  // in standard deviations
  std::vector<std::size_t> low, high;
  double low_mean = 0, high_mean = 0;
};

double mean_of(const std::vector<Moments>& chains, const std::vector<std::size_t>& members) {
  double sum = 0;
  for (const std::size_t chain : members) sum += chains[chain].mean;
  return sum / static_cast<double>(members.size());
}

Split widest_gap(const Posterior& posterior, std::size_t column) {
  const std::vector<double> values = posterior.column(column);
  const std::size_t draws = posterior.draws();
  std::vector<Moments> chains;
  double variance = 0;
  for (std::size_t c = 0; c < posterior.chains.size(); ++c) {
    chains.push_back(moments(std::span(values).subspan(c * draws, draws)));
    variance += chains.back().variance / static_cast<double>(posterior.chains.size());
  }
  std::vector<std::size_t> order(chains.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return chains[a].mean < chains[b].mean; });
  Split split{column, 0, {}, {}, 0, 0};
  std::size_t at = 0;
  for (std::size_t i = 1; i < order.size(); ++i) {
    const double gap = (chains[order[i]].mean - chains[order[i - 1]].mean) / std::sqrt(variance);
    if (!(gap > split.gap)) continue;
    split.gap = gap;
    at = i;
  }
  split.low.assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(at));
  split.high.assign(order.begin() + static_cast<std::ptrdiff_t>(at), order.end());
  if (at == 0) return split;
  split.low_mean = mean_of(chains, split.low);
  split.high_mean = mean_of(chains, split.high);
  std::sort(split.low.begin(), split.low.end());
  std::sort(split.high.begin(), split.high.end());
  return split;
}

bool drifts(const Posterior& posterior, std::size_t column, const std::vector<std::size_t>& members) {
  const std::vector<double> values = posterior.column(column);
  const std::size_t draws = posterior.draws();
  return std::any_of(members.begin(), members.end(), [&](std::size_t chain) {
    return stats::rhat({std::span(values).subspan(chain * draws, draws), 1, draws}) > kDrifts;
  });
}

// " Its log density is lower by 12 on average." A lower mode has less mass, unless it is wider.
std::string density_text(const Posterior& posterior, const std::vector<std::size_t>& members) {
  const std::vector<double> log_density = posterior.log_density();
  if (log_density.empty()) return "";
  const std::size_t draws = posterior.draws();
  double inside = 0, outside = 0;
  for (std::size_t c = 0; c < posterior.chains.size(); ++c) {
    const double mean = stats::mean(std::span(log_density).subspan(c * draws, draws));
    const bool is_member = std::find(members.begin(), members.end(), c) != members.end();
    (is_member ? inside : outside) +=
        mean / static_cast<double>(is_member ? members.size() : posterior.chains.size() - members.size());
  }
  const double difference = inside - outside;
  if (!std::isfinite(difference)) return "";
  if (std::fabs(difference) < 1) return " The log densities are about equal.";
  return fmt::format(" The log density there is {} by {} on average.", difference < 0 ? "lower" : "higher",
                     short_number(std::fabs(difference)));
}

constexpr const char* kOrderAdvice =
    "More iterations do not change this: order one parameter of the components (ordered[K]), or report only "
    "what does not depend on their labels.";

Finding apart_finding(const Posterior& posterior, const Split& split, const FindingOptions& options) {
  const bool low_is_few = split.low.size() <= split.high.size();
  const std::vector<std::size_t>& few = low_is_few ? split.low : split.high;
  const std::string name = display_name(posterior.names[split.column]);
  const bool all_settle = !drifts(posterior, split.column, few) &&
                          !drifts(posterior, split.column, low_is_few ? split.high : split.low);
  std::string chains = chains_text(few);
  chains[0] = 'C';
  Finding finding;
  finding.code = "chains-apart";
  finding.message =
      fmt::format("{} {} apart from the others: {}.", chains, few.size() == 1 ? "stands" : "stand",
                  all_settle ? "each chain has settled, so the posterior has several modes"
                             : "the chains are still moving, so they have not reached the same region yet");
  finding.evidence =
      fmt::format("Most in {}: its mean is {} in {} and {} in {}.", name,
                  short_number(low_is_few ? split.low_mean : split.high_mean), chains_text(few),
                  short_number(low_is_few ? split.high_mean : split.low_mean),
                  low_is_few ? chains_text(split.high) : chains_text(split.low));
  finding.evidence += density_text(posterior, few);
  const std::string switching = switching_labels(posterior);
  if (!switching.empty()) {
    finding.evidence += fmt::format(" The elements of {} exchange places: labels switch.", switching);
    finding.advice = kOrderAdvice;
  } else if (all_settle) {
    finding.advice = fmt::format(
        "The share of chains in a mode is not its probability. Break the symmetry (order the "
        "components, bound a sign, sharpen a prior){}.",
        options.reads("temperatures") && options.method_options ? ""
                                                                : ", or sample with `--method tempering`");
  } else {
    finding.advice =
        fmt::format("{}tart from better values (--init) or reparametrise.",
                    options.reads("warmup") ? fmt::format("Fit with `--warmup {}`; if that does not help, s",
                                                          4 * std::max<std::size_t>(options.warmup, 250))
                                            : "S");
  }
  return finding;
}

std::vector<Named> rows_above(const std::vector<SummaryRow>& rows, double limit) {
  std::vector<Named> found;
  for (const SummaryRow& row : rows)
    if (row.rhat && *row.rhat > limit) found.push_back({row.name, *row.rhat});
  std::sort(found.begin(), found.end(), [](const Named& a, const Named& b) { return a.number > b.number; });
  return found;
}

double smaller_ess(const SummaryRow& row) {
  const double bulk = row.ess_bulk.value_or(NAN);
  const double tail = row.ess_tail.value_or(NAN);
  return std::isnan(tail) || bulk < tail ? bulk : tail;
}

// Whether something is known that keeps chains from mixing.
bool has_cause(const Findings& findings) {
  return std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.code == "divergences" || finding.code == "e-bfmi" || finding.code == "stuck-chain" ||
           finding.code == "chains-apart";
  });
}

// 1300, 20000: two significant digits, rounded up.
std::size_t round_up(double count) {
  const double unit = std::pow(10.0, std::max(0.0, std::floor(std::log10(count)) - 1));
  return static_cast<std::size_t>(std::ceil(count / unit) * unit);
}

}  // namespace

void find_stuck_chains(const Posterior& posterior, const FindingOptions& options, Findings& findings) {
  std::vector<std::size_t> stuck;
  std::vector<std::string> counts;
  for (std::size_t c = 0; c < posterior.chains.size(); ++c) {
    const Chain& chain = posterior.chains[c];
    if (chain.draws < 20 || posterior.names.empty()) continue;
    const std::size_t moved = moves(posterior, chain);
    if (static_cast<double>(moved) >= kMovesAtLeast * static_cast<double>(chain.draws - 1)) continue;
    stuck.push_back(c);
    counts.push_back(fmt::format("{} of {}", moved, chain.draws - 1));
  }
  if (stuck.empty()) return;
  std::string chains = chains_text(stuck);
  chains[0] = 'C';
  findings.push_back(
      {"stuck-chain",
       fmt::format("{} hardly moved: {} draws are no sample of the posterior.", chains,
                   stuck.size() == 1 ? "its" : "their"),
       fmt::format("Parameters changed in {} transitions.", listed(counts)),
       fmt::format(
           "The step size is too large for where it started, or the density is not smooth there: start "
           "elsewhere (another --seed, --init),{} and look for steps and bounds in the program.",
           options.reads("target_accept") && options.target_accept < 0.99
               ? " fit with `--target-accept 0.99`,"
               : "")});
}

void find_chains_apart(const Posterior& posterior, const std::vector<SummaryRow>& rows,
                       const FindingOptions& options, Findings& findings) {
  if (posterior.chains.size() < 2 || posterior.draws() < 4) return;
  const bool has_stuck = std::any_of(findings.begin(), findings.end(),
                                     [](const Finding& finding) { return finding.code == "stuck-chain"; });
  if (has_stuck) return;  // they are apart because they stand where they started; no modes follow
  const std::size_t skipped = rows.size() - std::min(rows.size(), posterior.names.size());  // lp__
  Split widest;
  for (std::size_t i = 0; i < parameter_count(posterior) && skipped + i < rows.size(); ++i) {
    const SummaryRow& row = rows[skipped + i];
    if (!row.rhat || !(*row.rhat > kChainsDiffer)) continue;
    Split split = widest_gap(posterior, i);
    if (split.gap > widest.gap) widest = std::move(split);
  }
  if (widest.gap > kGap) findings.push_back(apart_finding(posterior, widest, options));
}

void find_high_rhat(const Posterior& posterior, const std::vector<SummaryRow>& rows,
                    const FindingOptions& options, Findings& findings) {
  const std::vector<Named> high = rows_above(rows, options.max_rhat);
  if (high.empty()) return;
  const bool is_slight = high.front().number < 1.05;
  const std::string distrust = is_slight ? "" : "Do not use these draws. ";
  const std::string switching = has_cause(findings) ? "" : switching_labels(posterior);
  std::string advice = distrust + "Fix the problems above first.";
  if (!switching.empty())
    advice = fmt::format("{}The elements of {} exchange places: labels switch. {}", distrust, switching,
                         kOrderAdvice);
  else if (!has_cause(findings))
    advice = fmt::format("{}Fit with `--draws {}{}`{}.", distrust, 2 * options.thin * posterior.draws(),
                         options.reads("warmup")
                             ? fmt::format(" --warmup {}", std::max<std::size_t>(2 * options.warmup, 500))
                             : "",
                         is_slight ? "" : ", or reparametrise");
  findings.push_back(
      {"rhat",
       fmt::format("R-hat is above {} for {} of {}: the chains do not agree yet{}.", options.max_rhat,
                   high.size(), counted(rows.size(), "quantity"), is_slight ? ", though nearly" : ""),
       fmt::format("Worst: {}.", worst_of(high, 4)), advice});
}

// Silence would read as "R-hat and effective sizes are in order", where there are none.
void find_too_few_draws(const Posterior& posterior, const std::vector<SummaryRow>& rows, Findings& findings) {
  constexpr std::size_t kEnough = 20;  // above it, a row without R-hat and ESS is a constant or not finite
  const bool is_judged = std::any_of(rows.begin(), rows.end(), [](const SummaryRow& row) {
    return std::isfinite(row.rhat.value_or(NAN)) && std::isfinite(row.ess_bulk.value_or(NAN));
  });
  if (is_judged || posterior.draws() >= kEnough) return;
  findings.push_back({"few-draws", "There are too few draws to judge the chains.",
                      fmt::format("R-hat and effective sizes cannot be computed from {} of each chain.",
                                  counted(posterior.draws(), "draw")),
                      "Use `--draws 1000`; fewer only to try whether a program runs."});
}

void find_low_ess(const Posterior& posterior, const std::vector<SummaryRow>& rows,
                  const FindingOptions& options, Findings& findings) {
  std::vector<Named> low;
  for (const SummaryRow& row : rows)
    if (row.ess_bulk && smaller_ess(row) < options.min_ess)
      low.push_back({row.name, std::floor(smaller_ess(row))});
  if (low.empty()) return;
  std::sort(low.begin(), low.end(), [](const Named& a, const Named& b) { return a.number < b.number; });
  const double factor = options.min_ess / std::max(1.0, low.front().number);
  const auto draws = static_cast<double>(posterior.draws());
  std::string advice;
  if (!rows_above(rows, kChainsDiffer).empty())
    advice = "More draws do not help before the chains agree.";
  else if (has_cause(findings))
    advice = "Fix the problems above first; the chains will then move faster.";
  else if (factor > kManyMoreDraws)
    advice =
        fmt::format("It would take {} times as many draws: reparametrise, so that the chains move faster.",
                    round_up(factor));
  else
    advice = fmt::format("`--draws {}` should be enough (now {}).",
                         round_up(1.1 * factor * draws * static_cast<double>(options.thin)),
                         options.thin * posterior.draws());
  findings.push_back(
      {"ess",
       fmt::format(
           "The effective sample size of {} is below {} in bulk or tail: their means or quantiles are "
           "imprecise.",
           counted(low.size(), "quantity"), options.min_ess),
       fmt::format("Smallest: {}.", worst_of(low)), advice});
}

}  // namespace kullback::posterior
