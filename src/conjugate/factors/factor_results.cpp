// What a user sees of a factor model, in units of the data. Factors come by falling explained variance, with
// the sign that makes the largest loading positive: rotation and sign are not in the model, only the subspace
// is.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "conjugate/factors/factor_model.hpp"
#include "conjugate/factors/lane_kernels.hpp"

namespace kullback::conjugate {

namespace {

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 6;
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, names.size()); ++i) text += (i > 0 ? ", " : "") + names[i];
  if (names.size() > kShown) text += " and " + std::to_string(names.size() - kShown) + " more";
  return text;
}

std::string plural(std::size_t count, const std::string& one, const std::string& many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

}  // namespace

std::string FactorModel::column_name(std::size_t d) const {
  return d < names_.size() ? names_[d] : std::to_string(d + 1);
}

double FactorModel::explained(std::size_t factor) const {
  double sum = 0;
  for (std::size_t d = 0; d < sizes_.columns; ++d) {
    const double loading = scale_[d] * loadings_.mean(d)[factor];
    sum += loading * loading;
  }
  return sum;
}

// Where ARD has shut a factor its loadings are uncertainty around 0.
bool FactorModel::in_use(std::size_t factor) const {
  double signal = 0, uncertainty = 0;
  for (std::size_t d = 0; d < sizes_.columns; ++d) {
    const double mean = loadings_.mean(d)[factor];
    signal += mean * mean;
    uncertainty += loadings_.variance(d, factor);
  }
  return signal > uncertainty;
}

FactorModel::Order FactorModel::order() const {
  Order order{std::vector<std::size_t>(sizes_.factors), std::vector<double>(sizes_.factors, 1.0)};
  std::iota(order.factor.begin(), order.factor.end(), std::size_t{0});
  std::vector<double> size(sizes_.factors);
  for (std::size_t k = 0; k < sizes_.factors; ++k) size[k] = explained(k);
  std::stable_sort(order.factor.begin(), order.factor.end(),
                   [&](std::size_t a, std::size_t b) { return size[a] > size[b]; });
  for (std::size_t at = 0; at < sizes_.factors; ++at) {
    double largest = 0;
    for (std::size_t d = 0; d < sizes_.columns; ++d) {
      const double loading = scale_[d] * loadings_.mean(d)[order.factor[at]];
      if (std::abs(loading) > std::abs(largest)) largest = loading;
    }
    if (largest < 0) order.sign[at] = -1;
  }
  return order;
}

std::vector<ResultTable> FactorModel::tables(const Shape&) const {
  const Order order = this->order();
  ResultTable loadings{.name = "loadings", .columns = {}, .cells = {}, .row_head = column_word()};
  ResultTable columns{.name = "columns",
                      .columns = {"mean", "mean_sd", "noise_sd", "explained"},
                      .cells = {},
                      .row_head = column_word()};
  ResultTable factors{.name = "factors",
                      .columns = {"explained_variance", "fraction", "precision", "in_use"},
                      .cells = {},
                      .row_head = "factor"};
  for (std::size_t k = 0; k < sizes_.factors; ++k) {
    loadings.columns.push_back("factor" + std::to_string(k + 1));
    loadings.columns.push_back("factor" + std::to_string(k + 1) + "_sd");
  }
  double total = 0;
  for (std::size_t d = 0; d < sizes_.columns; ++d) {
    const double scale = scale_[d];
    double signal = 0;
    loadings.row_names.push_back(column_name(d));
    for (std::size_t at = 0; at < sizes_.factors; ++at) {
      const double loading = order.sign[at] * scale * loadings_.mean(d)[order.factor[at]];
      signal += loading * loading;
      loadings.cells.push_back(loading);
      loadings.cells.push_back(scale * std::sqrt(loadings_.variance(d, order.factor[at])));
    }
    const double noise = scale / std::sqrt(noise_precision(d));
    columns.row_names.push_back(column_name(d));
    columns.cells.insert(columns.cells.end(), {offset_[d] + scale * loadings_.mean(d).back(),
                                               scale * std::sqrt(loadings_.variance(d, sizes_.factors)),
                                               noise, signal / (signal + noise * noise)});
    total += signal + noise * noise;
  }
  for (std::size_t at = 0; at < sizes_.factors; ++at) {
    const std::size_t k = order.factor[at];
    factors.row_names.push_back(std::to_string(at + 1));
    factors.cells.insert(factors.cells.end(),
                         {explained(k), explained(k) / total, precisions_.mean(k), in_use(k) ? 1.0 : 0.0});
  }
  return {loadings, columns, factors};
}

Figures FactorModel::figures() const {
  double used = 0, signal = 0, noise = 0;
  for (std::size_t k = 0; k < sizes_.factors; ++k) {
    signal += explained(k);
    used += in_use(k) ? 1 : 0;
  }
  for (std::size_t d = 0; d < sizes_.columns; ++d) noise += scale_[d] * scale_[d] / noise_precision(d);
  Figures figures = {{"factors in use", used}, {"explained variance", signal / (signal + noise)}};
  if (sizes_.noises == 1) {
    figures.emplace_back("noise sd", std::sqrt(noise / static_cast<double>(sizes_.columns)));
  }
  return figures;
}

Findings FactorModel::findings(const Statistics& statistics) const {
  const std::string word = column_word();
  std::vector<std::string> empty, constant, exact;
  Column column;
  for (std::size_t d = 0; d < sizes_.columns; ++d) {
    read(statistics, d, column);
    if (column.count <= 0) {
      empty.push_back(column_name(d));
      continue;
    }
    const double mean = column.yx.back() / column.count;
    const double variance = column.xx / column.count - mean * mean;
    const double place = offset_[d] / scale_[d];
    // Constant but for rounding, whatever the units of the other columns are. Noise that takes less than a
    // ten-thousandth of a column's variance: a Heywood case.
    if (variance <= 1e-20 * place * place + 1e-15 * mean * mean) {
      constant.push_back(column_name(d));
    } else if (sizes_.noises > 1 && known_noise_ == 0 && noise_precision(d) * variance > 1e4) {
      exact.push_back(column_name(d));
    }
  }
  Findings findings;
  if (!empty.empty()) {
    findings.push_back({"column-without-data",
                        plural(empty.size(), word + " has", word + "s have") +
                            " no observed cell; what is said of " + (empty.size() == 1 ? "it" : "them") +
                            " is the prior.",
                        listed(empty), "Leave such " + word + "s out."});
  }
  if (!constant.empty()) {
    findings.push_back(
        {"constant-column",
         plural(constant.size(), "column has", "columns have") + " the same value in all rows.",
         listed(constant), "Leave such columns out: they say nothing of the factors."});
  }
  if (!exact.empty()) {
    findings.push_back(
        {"no-noise",
         plural(exact.size(), "column has", "columns have") +
             " almost no noise: a factor copies it (a Heywood case).",
         listed(exact),
         "Look for columns that are sums or copies of others; lower --factors or raise --noise-rate."});
  }
  std::size_t used = 0;
  for (std::size_t k = 0; k < sizes_.factors; ++k) used += in_use(k) ? 1 : 0;
  if (sizes_.factors > 0 && used == sizes_.factors && used < sizes_.columns) {
    findings.push_back(
        {"all-factors-in-use", "All " + std::to_string(used) + " factors are in use; there may be more.",
         "the weakest explains a variance of " + std::to_string(explained(order().factor.back())),
         "Raise --factors until some stay unused."});
  }
  return findings;
}

}  // namespace kullback::conjugate
