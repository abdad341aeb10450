#include "report/draw_store.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <set>
#include <span>

#include "report/base64.hpp"
#include "report/json_object.hpp"

namespace kullback::report {

namespace {

constexpr double kTextPerDraw = 8.0 / 3;  // two bytes in base 64
constexpr double kSteps = 65535;
constexpr std::size_t kMostBadRows = 100;
constexpr double kMaxRhat = 1.01;

bool has_density_row(const Result& result) {
  return !result.rows().empty() && result.rows().front().name == "lp__";
}

// Rows in the order in which they are given room.
std::vector<std::size_t> rows_by_need(const Result& result) {
  const auto& rows = result.rows();
  const std::size_t first = has_density_row(result) ? 1 : 0;
  std::vector<std::size_t> order;
  std::vector<char> is_taken(rows.size(), 0);
  const auto take = [&](std::size_t row) {
    if (row < rows.size() && !is_taken[row]) order.push_back(row);
    if (row < rows.size()) is_taken[row] = 1;
  };
  if (first == 1) take(0);

  std::vector<std::size_t> bad;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].rhat && *rows[i].rhat > kMaxRhat) bad.push_back(i);
  std::stable_sort(bad.begin(), bad.end(),
                   [&](std::size_t a, std::size_t b) { return *rows[a].rhat > *rows[b].rhat; });
  for (std::size_t i = 0; i < std::min(bad.size(), kMostBadRows); ++i) take(bad[i]);

  std::vector<posterior::Variable> variables = posterior::find_variables(result.draws().names);
  std::stable_sort(variables.begin(), variables.end(),
                   [](const auto& a, const auto& b) { return a.size < b.size; });
  for (const posterior::Variable& variable : variables)
    for (std::size_t i = 0; i < variable.size; ++i) take(first + variable.first + i);
  return order;
}

bool is_divergent(const Result& result, std::size_t draw, const std::vector<double>& stat) {
  return !stat.empty() && draw < stat.size() && stat[draw] != 0 && !result.rows().empty();
}

// Of the draws at `indices` of all chains one after another.
std::vector<double> at(const std::vector<double>& values, const std::vector<std::size_t>& indices) {
  std::vector<double> chosen;
  chosen.reserve(indices.size());
  for (const std::size_t i : indices) chosen.push_back(values[i]);
  return chosen;
}

std::vector<std::size_t> kept_indices(const Result& result, const StorePlan& plan) {
  std::vector<std::size_t> indices;
  const std::size_t draws = result.draws().draws();
  for (std::size_t c = 0; c < result.draws().chains.size(); ++c)
    for (std::size_t k = 0; k < plan.kept; ++k) indices.push_back(c * draws + k * plan.every);
  indices.insert(indices.end(), plan.divergent.begin(), plan.divergent.end());
  return indices;
}

struct Range {
  double low = 0, high = 0;
  bool is_fine = false;  // sixteen bits are enough between them
};

// The 90 % interval must be well above the step; whole numbers stay whole.
Range range_of(const std::vector<double>& values, const posterior::SummaryRow& row) {
  const auto is_finite = [](double value) { return std::isfinite(value); };
  if (!std::all_of(values.begin(), values.end(), is_finite)) return {};
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  if (!std::isfinite(*high - *low)) return {};
  const auto is_whole = [](double value) { return value == std::round(value); };
  if (*high - *low <= kSteps && std::all_of(values.begin(), values.end(), is_whole))
    return {*low, *low + kSteps, true};
  constexpr double kWidest = 100;  // times the interval
  return {*low, *high, *high == *low || *high - *low < kWidest * (row.q95 - row.q5)};
}

template <class Unsigned>
void put(std::vector<std::uint8_t>& bytes, Unsigned number) {
  for (std::size_t b = 0; b < sizeof number; ++b)
    bytes.push_back(static_cast<std::uint8_t>(number >> (8 * b)));
}

std::string column_json(std::size_t row, const std::vector<double>& values, const Range& range) {
  std::vector<std::uint8_t> bytes;
  for (const double value : values) {
    if (!range.is_fine) {
      put(bytes, std::bit_cast<std::uint32_t>(static_cast<float>(value)));
    } else {
      const double share = range.high > range.low ? (value - range.low) / (range.high - range.low) : 0;
      put(bytes, static_cast<std::uint16_t>(std::lround(share * kSteps)));
    }
  }
  JsonObject column;
  column.count("row", row);
  if (range.is_fine) column.number("low", range.low, 9).number("high", range.high, 9);
  return column.text(range.is_fine ? "u16" : "f32", base64(bytes)).str();
}

}  // namespace

std::vector<double> row_values(const Result& result, std::size_t row) {
  const std::size_t first = has_density_row(result) ? 1 : 0;
  if (row < first) return result.draws().log_density();
  return row - first < result.draws().names.size() ? result.draws().column(row - first)
                                                   : std::vector<double>();
}

std::vector<double> draw_weights(const posterior::Posterior& draws) {
  std::vector<double> weights = draws.log_weight();
  if (weights.empty()) return {};
  const double largest = *std::max_element(weights.begin(), weights.end());
  double sum = 0;
  for (double& weight : weights) sum += weight = std::exp(weight - largest);
  if (!(sum > 0) || !std::isfinite(sum)) return {};
  for (double& weight : weights) weight /= sum;
  return weights;
}

StorePlan plan_store(const Result& result, const StoreLimits& limits) {
  StorePlan plan;
  const std::size_t chains = result.draws().chains.size();
  const std::size_t draws = result.draws().draws();
  if (draws == 0 || result.rows().empty()) return plan;

  const double fitting =
      static_cast<double>(limits.bytes) / (kTextPerDraw * static_cast<double>(result.rows().size()));
  const double wanted =
      std::clamp(fitting, static_cast<double>(limits.fewest_draws), static_cast<double>(limits.most_draws));
  const auto all = static_cast<double>(chains * draws);
  plan.every = all > wanted ? static_cast<std::size_t>(std::ceil(all / wanted)) : 1;
  plan.kept = (draws + plan.every - 1) / plan.every;

  const std::vector<double> divergent = result.draws().stat("divergent__");
  for (std::size_t i = 0; i < chains * draws; ++i)
    if (i % draws % plan.every != 0 && is_divergent(result, i, divergent)) plan.divergent.push_back(i);
  if (const std::size_t found = plan.divergent.size(); found > limits.most_divergent) {
    for (std::size_t k = 0; k < limits.most_divergent; ++k)
      plan.divergent[k] = plan.divergent[k * found / limits.most_divergent];
    plan.divergent.resize(limits.most_divergent);
  }

  const double of_one = kTextPerDraw * static_cast<double>(chains * plan.kept + plan.divergent.size());
  const auto fit = static_cast<std::size_t>(static_cast<double>(limits.bytes) / of_one);
  plan.rows = rows_by_need(result);
  if (plan.rows.size() > fit) plan.rows.resize(std::max<std::size_t>(fit, 1));
  std::sort(plan.rows.begin(), plan.rows.end());
  return plan;
}

std::string draws_json(const Result& result) {
  const StorePlan plan = plan_store(result);
  if (plan.kept == 0) return {};
  const posterior::Posterior& draws = result.draws();
  const std::vector<std::size_t> indices = kept_indices(result, plan);

  std::vector<std::string> names;
  for (const posterior::SummaryRow& row : result.rows()) names.push_back(row.name);
  std::vector<std::string> columns;
  for (const std::size_t row : plan.rows) {
    const std::vector<double> values = at(row_values(result, row), indices);
    columns.push_back(column_json(row, values, range_of(values, result.rows()[row])));
  }
  const std::vector<double> divergent = draws.stat("divergent__");
  std::vector<double> marked;
  for (std::size_t k = 0; k < indices.size(); ++k)
    if (is_divergent(result, indices[k], divergent)) marked.push_back(static_cast<double>(k));

  JsonObject json;
  json.count("chains", draws.chains.size()).count("drawn", draws.draws()).count("kept", plan.kept);
  json.count("every", plan.every).truth("markov", result.are_chains());
  json.count("first", has_density_row(result) ? 1 : 0);
  json.count("parameters", draws.parameters).count("generated", draws.generated);
  json.raw("names", json_strings(names)).raw("columns", json_array(columns));
  json.raw("divergent", json_numbers(marked, 9));
  if (const std::vector<double> weights = draw_weights(draws); !weights.empty())
    json.raw("weights", json_numbers(at(weights, indices), 4));
  return json.str();
}

}  // namespace kullback::report
