// The ELBO of a Gaussian at a mode is a lower bound of the log of the mass there: elbo - log evidence bounds
// the mode's share from below.
#include "certify/other_modes.hpp"

#include <algorithm>
#include <cmath>

#include "base/random.hpp"
#include "certify/certify.hpp"
#include "infer/algorithm.hpp"
#include "infer/optimize/lbfgs.hpp"
#include "infer/optimize/options.hpp"
#include "infer/optimize/path.hpp"
#include "infer/start.hpp"

namespace kullback::certify {

namespace {

constexpr std::uint32_t kPaths = 8;
constexpr std::uint32_t kFirstPath = 1U << 21;  // names of random streams: beyond those of chains
constexpr std::size_t kElboDraws = 5;
constexpr std::size_t kMaxIterations = 200;

infer::Options climb_options() {
  infer::Options options;
  options.set(infer::option::kElboDraws, kElboDraws);
  options.set(infer::option::kMaxIterations, kMaxIterations);
  return options;
}

void climb(density::LogDensity& density, std::uint32_t name, std::vector<double> start, ModeSearch& search) {
  infer::Lbfgs lbfgs(density, climb_options(), start);
  while (lbfgs.step()) {
  }
  search.gradients += lbfgs.gradients();
  if (lbfgs.stop() != infer::Stop::start_not_finite)
    search.climbs.push_back({std::move(start), lbfgs.theta(), name});
}

double distance_of(const std::vector<double>& point, const Covered& covered) {
  double distance = 0;
  for (std::size_t i = 0; i < point.size(); ++i)
    distance = std::max(distance, std::abs(point[i] - covered.center[i]) / covered.sd[i]);
  return distance;
}

}  // namespace

ModeSearch search_modes(density::LogDensity& density, std::uint64_t seed) {
  ModeSearch search;
  for (std::uint32_t p = 0; p < kPaths; ++p) {
    infer::FoundStart start = infer::find_start(density, {.seed = seed, .chain = kFirstPath + p});
    search.gradients += start.tries;
    if (start.is_ok) climb(density, kFirstPath + p, std::move(start.theta), search);
  }
  return search;
}

// A start without a finite density ends at once, and is no climb.
ModeSearch search_around(density::LogDensity& density, std::uint64_t seed, std::span<const double> center,
                         std::span<const double> sd) {
  ModeSearch search;
  for (std::uint32_t p = kPaths; p < 2 * kPaths; ++p) {
    Random random(seed, kFirstPath + p, static_cast<std::uint32_t>(infer::Purpose::certificate));
    std::vector<double> start(center.begin(), center.end());
    for (std::size_t i = 0; i < start.size(); ++i) start[i] += kBoxSds * sd[i] * (2 * random.uniform() - 1);
    climb(density, kFirstPath + p, std::move(start), search);
  }
  return search;
}

std::vector<OtherMode> uncovered_modes(density::LogDensity& density, const ModeSearch& search,
                                       const Covered& covered, const Terms& terms, std::uint64_t& gradients) {
  std::vector<OtherMode> found;
  for (const Climb& climb : search.climbs) {
    if (!(distance_of(climb.end, covered) > kFarSds)) continue;
    infer::Path path(density, climb_options(), {terms.seed, climb.name}, climb.start);
    while (path.step()) {
    }
    gradients += path.lbfgs().gradients() + path.evaluations();
    if (!path.has_gaussian()) continue;
    const double distance = distance_of(path.gaussian().mean(), covered);
    const double log_share = path.elbo() - covered.log_evidence;
    const double harm = std::exp(std::min(log_share, 0.0)) * distance;
    if (distance > kFarSds && harm > terms.tolerance / 10) found.push_back({log_share, distance});
  }
  std::sort(found.begin(), found.end(),
            [](const OtherMode& a, const OtherMode& b) { return a.log_share > b.log_share; });
  return found;
}

}  // namespace kullback::certify
