#include "certify/wasserstein.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "certify/coupling.hpp"
#include "certify/normal_through.hpp"
#include "infer/coordinate_name.hpp"

namespace kullback::certify {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kLeastDraws = 100;

std::string text_of(const CouplingBound& bound, const std::vector<std::string>& names) {
  if (!bound.has_converged)
    return "No bound on Wasserstein distances: the coupled chains did not come together.";
  const auto worst = [&](double CoupledDistance::*distance) {
    const auto at = std::max_element(
        bound.coordinates.begin(), bound.coordinates.end(),
        [distance](const CoupledDistance& a, const CoupledDistance& b) { return a.*distance < b.*distance; });
    return fmt::format("{:.3f} ({})", (*at).*distance,
                       names[static_cast<std::size_t>(at - bound.coordinates.begin())]);
  };
  return fmt::format(
      "Wasserstein distances of the raw approximation from the posterior, by coupled chains, in standard "
      "deviations: of a coordinate at most {} for W1 and {} for W2, of all together {:.3f} for W2. Ends of "
      "99 "
      "% intervals, each for itself; they decide nothing.",
      worst(&CoupledDistance::w1_upper), worst(&CoupledDistance::w2_upper), bound.joint_w2_upper);
}

}  // namespace

void add_wasserstein(const infer::Draws& draws, density::LogDensity& density, std::uint64_t seed,
                     Certificate& certificate) {
  const Clock::time_point began = Clock::now();
  const auto approximation = normal_through(draws.theta, draws.dim, draws.log_q);
  if (approximation == nullptr || draws.log_q.size() < kLeastDraws) {
    certificate.notes.push_back(
        "No bound on Wasserstein distances: it needs log q anywhere, which draws tell of normal "
        "approximations "
        "alone, with two draws for each coefficient of a quadratic function (60 coordinates; 900 that are "
        "independent). Take `--method laplace`, fullrank or meanfield.");
    return;
  }
  const CouplingBound bound = bound_by_coupling(density, *approximation, draws.theta, {.seed = seed});
  std::vector<std::string> names;
  for (std::size_t i = 0; i < draws.dim; ++i) names.push_back(infer::coordinate_name(density, i));
  certificate.wasserstein = to_json(bound, names);
  certificate.notes.push_back(text_of(bound, names));
  certificate.cost.gradients += bound.gradients;
  certificate.cost.seconds += std::chrono::duration<double>(Clock::now() - began).count();
}

void refuse_wasserstein(Certificate& certificate) {
  certificate.notes.push_back(
      "No bound on Wasserstein distances: the answer is of chains, which have no density to compare.");
}

}  // namespace kullback::certify
