// Labels of a mixture: its density does not change when components are exchanged, and chains may end in any
// order of them, or change it on their way. The means of a variable's elements over a part of a chain then
// agree with those of all other parts once they are sorted, and only then.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "posterior/finding_parts.hpp"

namespace kullback::posterior {

namespace {

constexpr std::size_t kPartsOfChain = 8;
constexpr std::size_t kMostElements = 20;  // of a variable: components of a mixture are few
constexpr double kNear = 1.0;              // means within so many standard deviations of a part agree
constexpr double kOften = 0.8;             // share of the parts that agree when sorted
constexpr double kRarely = 0.9;            // share at most that agree as they are

using Means = std::vector<std::vector<double>>;  // [part][element]

// Nothing where a part has no spread.
bool means_of_parts(const Posterior& posterior, const Variable& variable, Means& means, double& spread) {
  const std::size_t draws = posterior.draws();
  const std::size_t length = draws / kPartsOfChain;
  means.assign(posterior.chains.size() * kPartsOfChain, std::vector<double>(variable.size));
  std::vector<double> spreads;
  for (std::size_t k = 0; k < variable.size; ++k) {
    const std::vector<double> values = posterior.column(variable.first + k);
    for (std::size_t part = 0; part < means.size(); ++part) {
      const std::size_t first = part / kPartsOfChain * draws + part % kPartsOfChain * length;
      const std::span<const double> one = std::span(values).subspan(first, length);
      means[part][k] = stats::mean(one);
      spreads.push_back(stats::sd(one));
    }
  }
  std::nth_element(spreads.begin(), spreads.begin() + static_cast<std::ptrdiff_t>(spreads.size() / 2),
                   spreads.end());
  spread = spreads[spreads.size() / 2];
  return spread > 0 && std::isfinite(spread);
}

// The share of parts whose means are all near the medians over the parts.
double share_that_agrees(const Means& means, double spread) {
  std::vector<double> medians;
  for (std::size_t k = 0; k < means.front().size(); ++k) {
    std::vector<double> all;
    for (const std::vector<double>& part : means) all.push_back(part[k]);
    std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2), all.end());
    medians.push_back(all[all.size() / 2]);
  }
  const auto agrees = [&](const std::vector<double>& part) {
    for (std::size_t k = 0; k < part.size(); ++k) {
      if (!(std::fabs(part[k] - medians[k]) <= kNear * spread)) return false;
    }
    return true;
  };
  return static_cast<double>(std::count_if(means.begin(), means.end(), agrees)) /
         static_cast<double>(means.size());
}

}  // namespace

std::string switching_labels(const Posterior& posterior) {
  if (posterior.draws() < 10 * kPartsOfChain) return "";
  for (const Variable& variable : find_variables(posterior.names)) {
    if (posterior.parameters > 0 && variable.first >= posterior.parameters) break;
    if (variable.dims.size() != 1 || variable.size < 2 || variable.size > kMostElements) continue;
    Means means;
    double spread = 0;
    if (!means_of_parts(posterior, variable, means, spread)) continue;
    if (share_that_agrees(means, spread) > kRarely) continue;
    for (std::vector<double>& part : means) std::sort(part.begin(), part.end());
    if (share_that_agrees(means, spread) >= kOften) return variable.name;
  }
  return "";
}

}  // namespace kullback::posterior
