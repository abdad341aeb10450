// What the columns of a Hamiltonian sampler tell.
//
// Where divergences sit. Each parameter is compared by rank sums between the draws at the end of divergent
// transitions and the others: of its values (a neck at small scales; ranks are the same on the log or any
// other monotone scale), and of their distances from the median (a neck around the middle). With D parameters
// there are 2 D tests, all of which together call nothing something with probability 0.001. What no parameter
// shows alone, a ridge say, nearest neighbours in all of them show. That there is no such place is said only
// where one would have been seen.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "posterior/finding_parts.hpp"
#include "stats/uniformity.hpp"

namespace kullback::posterior {

namespace {

constexpr std::size_t kFewDivergences = 5;
constexpr double kLevel = 0.001;
constexpr double kFarApart = 0.15;  // |auc - 1/2| that is worth telling
constexpr double kMustShow = 0.2;   // and that would be seen with probability 0.9
constexpr double kNineOfTen = 1.2816;
constexpr double kSaturatedShare = 0.01;

struct Location {
  std::string name;
  Separation separation;
  bool is_distance = false;  // from the median
  double median = 0;
};

bool is_farther(const Separation& a, const Separation& b) {
  return std::fabs(a.auc - 0.5) > std::fabs(b.auc - 0.5);
}

Location location_of(const Posterior& posterior, std::size_t column, const std::vector<char>& chosen) {
  std::vector<double> values = posterior.column(column);
  Location of_values{display_name(posterior.names[column]), separation(values, chosen)};
  const double median = stats::quantile(values, 0.5);
  for (double& value : values) value = std::fabs(value - median);
  Location of_distances{of_values.name, separation(values, chosen), true, median};
  return is_farther(of_distances.separation, of_values.separation) ? of_distances : of_values;
}

std::size_t parameter_count(const Posterior& posterior) {
  return posterior.parameters > 0 ? posterior.parameters : posterior.names.size();
}

double tests(const Posterior& posterior) { return 2 * static_cast<double>(parameter_count(posterior)); }

// Parameters, the most separated first; one element of each variable.
std::vector<Location> locate(const Posterior& posterior, const std::vector<char>& chosen) {
  std::vector<Location> found;
  for (const Variable& variable : find_variables(posterior.names)) {
    if (variable.first >= parameter_count(posterior)) break;
    Location best;
    for (std::size_t i = variable.first; i < variable.first + variable.size; ++i) {
      Location location = location_of(posterior, i, chosen);
      if (is_farther(location.separation, best.separation)) best = std::move(location);
    }
    const bool is_clear = stats::normal_p_value(best.separation.z) * tests(posterior) < kLevel;
    if (is_clear && std::fabs(best.separation.auc - 0.5) > kFarApart) found.push_back(std::move(best));
  }
  std::sort(found.begin(), found.end(),
            [](const Location& a, const Location& b) { return is_farther(a.separation, b.separation); });
  return found;
}

std::string location_text(const Location& location, std::size_t count) {
  const Separation& apart = location.separation;
  if (location.is_distance)
    return fmt::format("In {} of {}, {} is {} {} from its median, {}, as in {:.0f} % of all draws.",
                       apart.beyond, count, location.name, apart.is_below ? "less than" : "more than",
                       short_number(apart.cut), short_number(location.median),
                       100 * (apart.is_below ? apart.cut_quantile : 1 - apart.cut_quantile));
  return fmt::format("In {} of {}, {} is {} {}, its {:.0f} % quantile.", apart.beyond, count, location.name,
                     apart.is_below ? "below" : "above", short_number(apart.cut), 100 * apart.cut_quantile);
}

// Whether a parameter with |auc - 1/2| = kMustShow would have been found.
bool would_show(const Posterior& posterior, std::size_t count, std::size_t draws) {
  const auto chosen = static_cast<double>(count), all = static_cast<double>(draws);
  const double z = kMustShow * std::sqrt(12 * chosen * (all - chosen) / (all + 1));
  return z > kNineOfTen && stats::normal_p_value(z - kNineOfTen) * tests(posterior) < kLevel;
}

std::string where_text(const Posterior& posterior, const std::vector<char>& chosen, std::size_t count) {
  if (count < kFewDivergences) return "They are too few to tell where they sit.";
  const std::vector<Location> locations = locate(posterior, chosen);
  if (!locations.empty()) {
    std::string text = location_text(locations[0], count);
    if (locations.size() > 1) text += " " + location_text(locations[1], count);
    return text;
  }
  if (const double times = crowding(posterior, chosen); times > 1)
    return fmt::format(
        "No parameter alone tells where, but they lie close together: divergences are {} times as common "
        "among "
        "their nearest neighbours as among all draws.",
        short_number(times));
  return would_show(posterior, count, chosen.size()) ? "They are spread over the range of every parameter."
                                                     : "They are too few to tell where they sit.";
}

std::string located_name(const Posterior& posterior, const std::vector<char>& chosen, std::size_t count) {
  if (count < kFewDivergences) return "";
  const std::vector<Location> locations = locate(posterior, chosen);
  return locations.empty() ? "" : locations[0].name;
}

// " All in chain 2." where one of several chains has nearly all.
std::string chain_text(const Posterior& posterior, const std::vector<char>& chosen, std::size_t count) {
  if (posterior.chains.size() < 2 || count < kFewDivergences) return "";
  const std::size_t draws = posterior.draws();
  for (std::size_t c = 0; c < posterior.chains.size(); ++c) {
    const auto first = chosen.begin() + static_cast<std::ptrdiff_t>(c * draws);
    const auto in_chain =
        static_cast<std::size_t>(std::count(first, first + static_cast<std::ptrdiff_t>(draws), 1));
    if (in_chain == count) return fmt::format(" All are in chain {}.", c + 1);
    if (10 * in_chain >= 9 * count) return fmt::format(" {} are in chain {}.", in_chain, c + 1);
  }
  return "";
}

// `located`: the parameter that separates divergent draws from the others, or nothing.
std::string divergence_advice(const FindingOptions& options, const std::string& located) {
  const std::string reparametrise =
      located.empty()
          ? "reparametrise scales with what they scale (draw standard normals and multiply)"
          : "reparametrise " + located + " (if it is a scale, or scaled: draw standard normals and multiply)";
  if (options.target_accept >= 0.99 || !options.reads("target_accept"))
    return "The step size is already small: " + reparametrise + "; do not trust these draws.";
  const double next = options.target_accept < 0.95 ? 0.95 : 0.99;
  return fmt::format(
      "Fit with `--target-accept {}`; if divergences stay, {}. Until they are gone, part of the posterior is "
      "missing from the draws.",
      next, reparametrise);
}

}  // namespace

void find_divergences(const Posterior& posterior, const FindingOptions& options, Findings& findings) {
  const std::vector<double> divergent = posterior.stat("divergent__");
  std::vector<char> chosen(divergent.size());
  std::transform(divergent.begin(), divergent.end(), chosen.begin(),
                 [](double flag) { return static_cast<char>(flag != 0); });
  const auto count = static_cast<std::size_t>(std::count(chosen.begin(), chosen.end(), 1));
  if (count == 0) return;
  const double share = static_cast<double>(count) / static_cast<double>(chosen.size());
  findings.push_back(
      {"divergences",
       fmt::format("{} of {} transitions diverged ({}): the sampler cannot follow the posterior "
                   "somewhere, and the draws may be biased.",
                   count, chosen.size(), percent(share)),
       where_text(posterior, chosen, count) + chain_text(posterior, chosen, count),
       divergence_advice(options, located_name(posterior, chosen, count))});
}

void find_saturated_trees(const Posterior& posterior, const FindingOptions& options, Findings& findings) {
  const std::vector<double> depth = posterior.stat("treedepth__");
  if (depth.empty()) return;
  const auto count = static_cast<std::size_t>(std::count_if(depth.begin(), depth.end(), [&](double value) {
    return value >= static_cast<double>(options.max_depth);
  }));
  const double share = static_cast<double>(count) / static_cast<double>(depth.size());
  if (share < kSaturatedShare) return;
  findings.push_back(
      {"tree-depth",
       fmt::format(
           "{} of {} transitions ({}) stopped at the largest tree depth, {}: the sampler is slow, not "
           "wrong.",
           count, depth.size(), percent(share), options.max_depth),
       fmt::format("Their trajectories would be longer than {} steps.",
                   (std::size_t{1} << options.max_depth) - 1),
       fmt::format("Bring parameters to similar scales and loosen strong correlations{}.",
                   options.reads("max_depth")
                       ? fmt::format(" (`--metric dense` helps with these), or fit with `--max-depth {}`",
                                     options.max_depth + 2)
                       : "")});
}

void find_low_energy_ratio(const Posterior& posterior, const FindingOptions& options, Findings& findings) {
  const std::vector<double> energy = posterior.stat("energy__");
  if (energy.empty()) return;
  const std::size_t draws = posterior.draws();
  std::vector<std::size_t> chains;
  std::vector<std::string> ratios;
  for (std::size_t c = 0; c < posterior.chains.size(); ++c) {
    const double ratio = stats::e_bfmi(std::span(energy).subspan(c * draws, draws));
    if (!(ratio < options.min_e_bfmi)) continue;
    chains.push_back(c);
    ratios.push_back(fmt::format("{:.2f}", ratio));
  }
  if (chains.empty()) return;
  findings.push_back(
      {"e-bfmi",
       fmt::format("The energy of {} moves slowly (E-BFMI below {}): the tails of the posterior are hardly "
                   "explored.",
                   chains_text(chains), options.min_e_bfmi),
       "E-BFMI " + listed(ratios) + ".",
       "Reparametrise heavy tails and scales that vary over orders of magnitude (a hierarchical scale and "
       "what "
       "it scales), or give scales a tighter prior."});
}

}  // namespace kullback::posterior
