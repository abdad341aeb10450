// Hamiltonian chains only. The energy of the draws against its change from one draw to the next (Betancourt
// 2016): where the second is much the narrower, the chain walks slowly through the energies. E-BFMI is the
// ratio of their variances.
#include <algorithm>
#include <cmath>
#include <span>

#include "report/json_object.hpp"
#include "report/section.hpp"
#include "stats/chains.hpp"

namespace kullback::report {

namespace {

constexpr std::size_t kBins = 40;

struct Histogram {
  double low = 0, high = 1;
  std::vector<double> shares = std::vector<double>(kBins, 0.0);

  void add(std::span<const double> values) {
    for (const double value : values) {
      const double at = (value - low) / (high - low) * static_cast<double>(kBins);
      if (at >= 0 && at <= static_cast<double>(kBins))
        shares[std::min(static_cast<std::size_t>(at), kBins - 1)] += 1 / static_cast<double>(values.size());
    }
  }
};

std::vector<double> centred(std::vector<double> values) {
  const double mean = stats::mean(values);
  for (double& value : values) value -= mean;
  return values;
}

// How often each number of doublings occurred.
std::string depths_json(const std::vector<double>& depths) {
  std::vector<double> counts;
  for (const double depth : depths) {
    if (!(depth >= 0 && depth < 64)) continue;
    counts.resize(std::max(counts.size(), static_cast<std::size_t>(depth) + 1), 0.0);
    ++counts[static_cast<std::size_t>(depth)];
  }
  return json_numbers(counts, 9);
}

}  // namespace

std::string energy_section(const Result& result) {
  if (!result.is_posterior()) return {};
  const posterior::Posterior& draws = result.draws();
  const std::vector<double> energy = draws.stat("energy__");
  const auto is_finite = [](double value) { return std::isfinite(value); };
  if (energy.size() < 4 || draws.draws() < 2 || !std::all_of(energy.begin(), energy.end(), is_finite))
    return {};

  std::vector<double> ratios, changes;
  for (std::size_t c = 0; c < draws.chains.size(); ++c) {
    const std::span<const double> one = std::span(energy).subspan(c * draws.draws(), draws.draws());
    ratios.push_back(stats::e_bfmi(one));
    for (std::size_t i = 1; i < one.size(); ++i) changes.push_back(one[i] - one[i - 1]);
  }
  const std::vector<double> levels = centred(energy);
  const std::vector<double> steps = centred(changes);
  const auto [low, high] = std::minmax_element(levels.begin(), levels.end());
  const auto [step_low, step_high] = std::minmax_element(steps.begin(), steps.end());
  Histogram of_levels{std::min(*low, *step_low), std::max(*high, *step_high)};
  if (!(of_levels.high > of_levels.low)) return {};
  Histogram of_steps = of_levels;
  of_levels.add(levels);
  of_steps.add(steps);

  std::vector<double> accepted;
  const std::vector<double> accept = draws.stat("accept_stat__");
  for (std::size_t c = 0; !accept.empty() && c < draws.chains.size(); ++c)
    accepted.push_back(stats::mean(std::span(accept).subspan(c * draws.draws(), draws.draws())));
  return JsonObject()
      .number("low", of_levels.low)
      .number("high", of_levels.high)
      .raw("levels", json_numbers(of_levels.shares, 4))
      .raw("changes", json_numbers(of_steps.shares, 4))
      .raw("e_bfmi", json_numbers(ratios, 3))
      .raw("acceptance", json_numbers(accepted, 3))
      .raw("depths", depths_json(draws.stat("treedepth__")))
      .str();
}

}  // namespace kullback::report
