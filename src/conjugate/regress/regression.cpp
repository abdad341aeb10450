#include "conjugate/regress/regression.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "conjugate/regress/options.hpp"
#include "conjugate/regress/pieces.hpp"

namespace kullback::conjugate::regress {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<std::string> column_names(const Shape& shape) {
  std::vector<std::string> names = shape.names;
  for (std::size_t j = names.size(); j < shape.columns; ++j) {
    names.emplace_back("x").append(std::to_string(j + 1));
  }
  return names;
}

// The intercept on the scale of the data is centre + scale (w_0 - sum_j w_j centre_j / scale_j).
std::vector<double> intercept_combination(const Units& units) {
  std::vector<double> combination = {1.0};
  for (std::size_t j = 0; j + 1 < units.scale.size(); ++j)
    combination.push_back(-units.centre[j] / units.scale[j]);
  return combination;
}

}  // namespace

Regression::Regression(const OptionValues& values, const Shape& shape, const PriorChoice& choice)
    : names_(column_names(shape)),
      columns_(shape.columns),
      units_in_all_(static_cast<double>(shape.units)),
      scales_(values[option::kScale]),
      choice_(choice),
      posterior_(choice.prior == Prior::spike_slab ? make_spike_slab(choice) : make_dense(choice)) {}

void Regression::global_step(std::size_t block, const Statistics& statistics, Mover& mover) {
  posterior_->update(block, likelihood(statistics), mover);
  if (block + 1 == blocks()) quality_ = quality_of(statistics);
}

Terms Regression::elbo(const Statistics& statistics) const {
  Terms terms = posterior_->bound(likelihood(statistics));
  terms[0].second += statistics.local;
  return terms;
}

std::vector<double> Regression::state() const {
  std::vector<double> state = units_.centre;
  state.insert(state.end(), units_.scale.begin(), units_.scale.end());
  state.push_back(quality_);
  posterior_->add_state(state);
  return state;
}

void Regression::set_state(std::span<const double> state) {
  const auto middle = state.begin() + static_cast<std::ptrdiff_t>(columns_);
  units_.centre.assign(state.begin(), middle);
  units_.scale.assign(middle, middle + static_cast<std::ptrdiff_t>(columns_));
  quality_ = state[2 * columns_];
  state = state.subspan(2 * columns_ + 1);
  posterior_->take_state(state);
}

std::vector<ResultTable> Regression::tables(const Shape&) const { return {coefficient_table()}; }

// An ARD coefficient is kept where the data decide more than a tenth of it; one with spike and slab where it
// is likelier in than out.
double Regression::keeps_above() const { return choice_.prior == Prior::spike_slab ? 0.5 : 0.1; }

Figures Regression::figures() const {
  const std::vector<double> determined = posterior_->determined();
  double effective = 0, kept = 0;
  for (std::size_t j = 1; j < size(); ++j) {
    effective += determined[j];
    kept += determined[j] > keeps_above() ? 1 : 0;
  }
  Figures figures = {{"coefficients", static_cast<double>(size() - 1)},
                     {"effective number of parameters", effective}};
  if (choice_.prior == Prior::ard || choice_.prior == Prior::spike_slab) {
    figures.emplace_back("coefficients kept", kept);
  }
  if (choice_.prior == Prior::ridge) {
    figures.emplace_back("prior precision", posterior_->expected_precisions()[0]);
  }
  return figures;
}

void Regression::unit_lines(const Batch& units, std::vector<double>& cells) const {
  for_blocks(units, [&](const RowBlock& block, std::size_t, const double* mean, const double* squared) {
    for (std::size_t n = 0; n < block.rows(); ++n) add_line({mean[n], squared[n], block.target()[n]}, cells);
  });
}

Model::Score Regression::score(const Batch& units) const {
  Score score;
  for_blocks(units, [&](const RowBlock& block, std::size_t begin, const double* mean, const double* squared) {
    for (std::size_t n = 0; n < block.rows(); ++n) {
      if (std::isnan(block.target()[n])) continue;
      score.log_density += units.weight(begin + n) * log_density({mean[n], squared[n], block.target()[n]});
      score.count += units.weight(begin + n);
    }
  });
  return score;
}

void Regression::refuse_missing(const Batch& batch, const Statistics& statistics) const {
  const auto moments = statistics.values.begin() + static_cast<std::ptrdiff_t>(gram_size());
  const auto end = moments + static_cast<std::ptrdiff_t>(size()) + 1;
  if (std::all_of(moments, end, [](double x) { return std::isfinite(x); })) return;
  for (std::size_t n = 0; n < batch.units; ++n) {
    for (std::size_t j = 0; j < columns_; ++j) {
      if (std::isfinite(batch.row(n)[j])) continue;
      throw Error(ErrorKind::bad_input,
                  "row " + std::to_string(batch.first + n + 1) + ", column '" + names_[j] +
                      "': a missing or infinite value; regression needs all cells.",
                  "Leave such rows or the column out.");
    }
  }
  throw Error(ErrorKind::bad_input, "sums of squares of the data overflow.", "Rescale the columns.");
}

double Regression::sd_over_scale(double degrees) {
  if (!std::isfinite(degrees)) return 1;
  return degrees > 2 ? std::sqrt(degrees / (degrees - 2)) : kNaN;
}

double Regression::sd_of(std::span<const double> combination) const {
  return std::sqrt(squared_scale(posterior_->spread(), combination)) * sd_over_scale(posterior_->degrees());
}

ResultTable Regression::coefficient_table() const {
  ResultTable table{"coefficients", {"mean", "sd", "lower", "upper"}, {}, {}, "name"};
  const bool is_slab = choice_.prior == Prior::spike_slab, is_ard = choice_.prior == Prior::ard;
  if (is_slab) table.columns.push_back("inclusion");
  if (is_ard) table.columns.push_back("determined");
  const std::vector<double> determined = posterior_->determined();
  std::vector<double> unit(size(), 0.0);
  for (std::size_t j = 0; j < size(); ++j) {
    table.row_names.push_back(j == 0 ? "(intercept)" : names_[j - 1]);
    if (j == 0) {
      add_intercept(table.cells);
    } else {
      unit[j] = 1;
      const double scale = units_.scale.back() / units_.scale[j - 1];
      table.cells.insert(table.cells.end(),
                         {scale * posterior_->mean()[j], scale * sd_of(unit),
                          scale * posterior_->quantile(j, 0.025), scale * posterior_->quantile(j, 0.975)});
      unit[j] = 0;
    }
    if (is_slab || is_ard) table.cells.push_back(determined[j]);
  }
  return table;
}

void Regression::add_intercept(std::vector<double>& cells) const {
  const std::vector<double> combination = intercept_combination(units_);
  double mean = 0;
  for (std::size_t j = 0; j < size(); ++j) mean += combination[j] * posterior_->mean()[j];
  mean = units_.centre.back() + units_.scale.back() * mean;
  const double scale = units_.scale.back() * std::sqrt(squared_scale(posterior_->spread(), combination));
  const double reach = scale * t_quantile(0.975, posterior_->degrees());
  cells.insert(cells.end(), {mean, units_.scale.back() * sd_of(combination), mean - reach, mean + reach});
}

}  // namespace kullback::conjugate::regress
