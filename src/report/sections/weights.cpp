// Importance weights p / q of an approximation's draws, the largest first. A few that dwarf the others mean
// that the draws miss where the posterior has mass.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "report/draw_store.hpp"
#include "report/json_object.hpp"
#include "report/json_read.hpp"
#include "report/section.hpp"

namespace kullback::report {

namespace {

constexpr std::size_t kShown = 300;

// Normalised; empty where the draws have no density of their own.
std::vector<double> ratios(const posterior::Posterior& draws) {
  std::vector<double> log_ratio = draws.log_weight();
  if (log_ratio.empty()) {
    const std::vector<double> log_p = draws.log_density();
    const std::vector<double> log_q = draws.log_q();
    if (log_p.empty() || log_q.empty()) return {};
    for (std::size_t i = 0; i < log_p.size(); ++i) log_ratio.push_back(log_p[i] - log_q[i]);
  }
  double largest = -HUGE_VAL;
  for (const double number : log_ratio)
    if (std::isfinite(number)) largest = std::max(largest, number);
  if (!std::isfinite(largest)) return {};
  double sum = 0;
  for (double& number : log_ratio) sum += number = std::isfinite(number) ? std::exp(number - largest) : 0.0;
  for (double& number : log_ratio) number /= sum;
  return log_ratio;
}

// The first ones, then ever fewer: the picture has a logarithmic axis.
std::vector<std::size_t> shown_ranks(std::size_t count) {
  std::vector<std::size_t> ranks;
  for (std::size_t k = 0; k < kShown; ++k) {
    const double share = static_cast<double>(k) / (kShown - 1);
    const auto rank = static_cast<std::size_t>(std::lround(std::pow(static_cast<double>(count), share))) - 1;
    if (ranks.empty() || rank > ranks.back()) ranks.push_back(rank);
  }
  return ranks;
}

}  // namespace

std::string weights_section(const Result& result) {
  if (!result.is_posterior() || result.draws().draws() < 2) return {};
  std::vector<double> all = ratios(result.draws());
  if (all.empty()) return {};
  std::sort(all.begin(), all.end(), std::greater<>());
  const double squares = std::inner_product(all.begin(), all.end(), all.begin(), 0.0);
  std::vector<double> ranks, shares;
  for (const std::size_t rank : shown_ranks(all.size())) {
    if (!(all[rank] > 0)) break;
    ranks.push_back(static_cast<double>(rank + 1));
    shares.push_back(all[rank]);
  }
  JsonObject json;
  json.count("draws", all.size()).number("ess", 1 / squares, 5).number("largest", all.front(), 3);
  json.raw("ranks", json_numbers(ranks, 9)).raw("shares", json_numbers(shares, 4));
  json.truth("used", !result.draws().log_weight().empty());
  if (const std::string* khat = run::find_fact(result.record(), "khat")) json.text("khat", *khat);
  return json.str();
}

}  // namespace kullback::report
