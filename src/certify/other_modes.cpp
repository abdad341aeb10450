// The ELBO of a Gaussian at a mode is a lower bound of the log of the mass there: elbo - log evidence bounds
// the mode's share from below.
#include "certify/other_modes.hpp"

#include <algorithm>
#include <cmath>

#include "base/random.hpp"
#include "infer/algorithm.hpp"
#include "infer/optimize/path.hpp"
#include "infer/start.hpp"

namespace kullback::certify {

namespace {

constexpr std::uint32_t kPaths = 8;
constexpr std::uint32_t kFirstPath = 1U << 21;  // names of random streams: beyond those of chains
constexpr std::size_t kElboDraws = 5;
constexpr std::size_t kMaxIterations = 200;

void climb(density::LogDensity& density, infer::PathName name, std::vector<double> start,
           ModeSearch& search) {
  infer::Options options;
  options.elbo_draws = kElboDraws;
  options.max_iterations = kMaxIterations;
  infer::Path path(density, options, name, std::move(start));
  while (path.step()) {
  }
  search.gradients += path.lbfgs().gradients() + path.evaluations();
  if (path.has_gaussian()) search.modes.push_back({path.gaussian().mean(), path.elbo()});
}

}  // namespace

ModeSearch search_modes(density::LogDensity& density, std::uint64_t seed) {
  ModeSearch search;
  for (std::uint32_t p = 0; p < kPaths; ++p) {
    infer::FoundStart start = infer::find_start(density, {.seed = seed, .chain = kFirstPath + p});
    search.gradients += start.tries;
    if (start.is_ok) climb(density, {seed, kFirstPath + p}, std::move(start.theta), search);
  }
  return search;
}

// A start without a finite density ends at once, without a Gaussian.
ModeSearch search_around(density::LogDensity& density, std::uint64_t seed, std::span<const double> center,
                         std::span<const double> sd) {
  ModeSearch search;
  for (std::uint32_t p = kPaths; p < 2 * kPaths; ++p) {
    Random random(seed, kFirstPath + p, static_cast<std::uint32_t>(infer::Purpose::certificate));
    std::vector<double> start(center.begin(), center.end());
    for (std::size_t i = 0; i < start.size(); ++i) start[i] += kBoxSds * sd[i] * (2 * random.uniform() - 1);
    climb(density, {seed, kFirstPath + p}, std::move(start), search);
  }
  return search;
}

std::vector<OtherMode> uncovered_modes(const ModeSearch& search, std::span<const double> center,
                                       std::span<const double> sd, double log_evidence, double tolerance) {
  std::vector<OtherMode> found;
  for (const FoundMode& mode : search.modes) {
    double distance = 0;
    for (std::size_t i = 0; i < center.size(); ++i)
      distance = std::max(distance, std::abs(mode.center[i] - center[i]) / sd[i]);
    const double log_share = mode.elbo - log_evidence;
    const double harm = std::exp(std::min(log_share, 0.0)) * distance;
    if (distance > kFarSds && harm > tolerance / 10) found.push_back({log_share, distance});
  }
  std::sort(found.begin(), found.end(),
            [](const OtherMode& a, const OtherMode& b) { return a.log_share > b.log_share; });
  return found;
}

}  // namespace kullback::certify
