// What a fitted hidden Markov model says: tables, figures, findings, lines of rows, scores.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "base/error.hpp"
#include "conjugate/hmm/hmm.hpp"

namespace kullback::conjugate::hmm {

namespace {

// Below these a state counts as not in use, and two as the same.
constexpr double kLeastVisits = 0.5;
constexpr double kLeastDifference = 0.05;

std::string listed(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ", ") + item;
  return text;
}

std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

// sum (p - q) (log p - log q).
double symmetric_divergence(const std::vector<double>& p, const std::vector<double>& q) {
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) sum += (p[i] - q[i]) * std::log(p[i] / q[i]);
  return sum;
}

// Of a component a of a Dirichlet distribution with this total.
double dirichlet_sd(double a, double total) {
  const double mean = a / total;
  return std::sqrt(mean * (1 - mean) / (total + 1));
}

}  // namespace

// How often the state was gone into, the first rows of sequences included, by q less the prior that the
// options ask for.
double Hmm::visits(std::size_t state) const {
  double sum = initial_[state] - concentration_ - sticky_;
  for (std::size_t i = 0; i < states_; ++i) sum += transitions_[i * states_ + state] - concentration_;
  return std::max(sum, 0.0);
}

std::vector<double> Hmm::mean_transitions_of(std::size_t state) const {
  const double* row = &means_.matrix[state * stride_];
  return {row, row + states_};
}

std::vector<ResultTable> Hmm::tables(const Shape& shape) const {
  const std::vector<std::string> names = state_names(states_);
  std::vector<ResultTable> result;
  const double total = std::accumulate(initial_.begin(), initial_.end(), 0.0);
  ResultTable summary{.name = "summary_of_states",
                      .columns = {"initial", "initial_sd", "stationary", "rows", "expected_duration"},
                      .cells = {},
                      .row_names = names,
                      .row_head = "state"};
  ResultTable matrix{
      .name = "transitions", .columns = {}, .cells = {}, .row_names = names, .row_head = "from"};
  for (const std::string& name : names) matrix.columns.push_back("to_" + name);
  for (const std::string& name : names) matrix.columns.push_back("sd_" + name);
  for (std::size_t i = 0; i < states_; ++i) {
    const std::span<const double> row(&transitions_[i * states_], states_);
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    const double leaving = (sum - row[i]) / sum;
    summary.cells.insert(summary.cells.end(),
                         {initial_[i] / total, dirichlet_sd(initial_[i], total), stationary_[i], visits(i),
                          leaving > 0 ? 1 / leaving : std::nan("")});
    for (const double a : row) matrix.cells.push_back(a / sum);
    for (const double a : row) matrix.cells.push_back(dirichlet_sd(a, sum));
  }
  result.push_back(std::move(summary));
  result.push_back(std::move(matrix));
  emissions_->add_tables(shape, result);
  return result;
}

Figures Hmm::figures() const {
  double in_use = 0, shortest = 0, longest = 0;
  for (std::size_t i = 0; i < states_; ++i) {
    if (visits(i) < kLeastVisits) continue;
    const double staying = means_.matrix[i * stride_ + i];
    if (staying >= 1) continue;  // a single state
    const double duration = 1 / (1 - staying);
    shortest = in_use == 0 ? duration : std::min(shortest, duration);
    longest = std::max(longest, duration);
    ++in_use;
  }
  if (states_ == 1) return {{"states in use", 1.0}};
  return {{"states in use", in_use},
          {"shortest expected duration", shortest},
          {"longest expected duration", longest}};
}

Findings Hmm::findings(const Statistics& statistics) const {
  std::vector<std::string> unused, same;
  std::vector<bool> is_used(states_);
  for (std::size_t k = 0; k < states_; ++k) {
    double rows = 0;
    for (std::size_t i = 0; i <= states_; ++i) rows += statistics.values[i * stride_ + k];
    is_used[k] = rows >= kLeastVisits;
    if (!is_used[k]) unused.push_back(std::to_string(k + 1));
  }
  // States i and j can be one if rows look the same in both and, the two taken as one, so do the ways out.
  for (std::size_t i = 0; i < states_; ++i) {
    for (std::size_t j = i + 1; j < states_; ++j) {
      if (!is_used[i] || !is_used[j]) continue;
      std::vector<double> from_i = mean_transitions_of(i), from_j = mean_transitions_of(j);
      for (std::vector<double>* row : {&from_i, &from_j}) {
        (*row)[i] += (*row)[j];
        row->erase(row->begin() + static_cast<std::ptrdiff_t>(j));
      }
      const double difference = emissions_->difference(i, j) + symmetric_divergence(from_i, from_j);
      if (difference > kLeastDifference) continue;
      same.push_back(std::to_string(i + 1) + " and " + std::to_string(j + 1) + " (divergence " +
                     short_number(difference) + ")");
    }
  }
  Findings result;
  if (!unused.empty()) {
    result.push_back({"unused-states",
                      std::to_string(unused.size()) + " of " + std::to_string(states_) +
                          " states are never visited and keep their prior.",
                      "states " + listed(unused) + " have fewer than half a row expected",
                      "Nothing is wrong with that; a smaller --states gives the same answer sooner."});
  }
  if (!same.empty()) {
    result.push_back({"duplicate-states", "some states are hardly different from each other.",
                      "states " + listed(same), "Fit again with a smaller --states, or from other starts."});
  }
  return result;
}

std::vector<std::string> Hmm::unit_columns(const Shape&) const {
  std::vector<std::string> columns = {"state", "log_density"};
  for (const std::string& name : state_names(states_)) columns.push_back("probability_" + name);
  return columns;
}

// The path and the probabilities are those of q(z); log densities, of each row given those before it, are at
// posterior means and add up to the score.
void Hmm::unit_lines(const Batch& units, std::vector<double>& cells) const {
  std::vector<double> logs, likelihoods, alphas, shifts, sums, predictive, pairs(states_ * stride_);
  for (std::size_t unit = 0; unit < units.units; ++unit) {
    const std::size_t rows = units.offsets[unit + 1] - units.offsets[unit];
    const double* values = units.values.data() + units.offsets[unit] * columns_;
    alphas.resize(rows * stride_);
    shifts.resize(rows);
    sums.resize(rows);
    logs.resize(rows * stride_);
    const auto go = [&](Plug plug) {
      emissions_->log_densities(values, rows, plug, logs.data());
      likelihoods = logs;
      to_likelihoods(likelihoods.data(), rows, states_, shifts.data());
      forward({.transitions = transitions(chain(plug)),
               .rows = rows,
               .enter = chain(plug).initial.data(),
               .likelihoods = likelihoods.data(),
               .alphas = alphas.data(),
               .sums = sums.data()});
      to_logs(sums);
    };
    go(Plug::means);
    predictive.resize(rows);
    for (std::size_t t = 0; t < rows; ++t) predictive[t] = sums[t] + shifts[t];
    go(Plug::expected_logs);
    Backward(transitions(expected_)).run(rows, likelihoods.data(), alphas.data(), 1.0, pairs.data());
    const std::vector<std::uint16_t> path = viterbi({.states = states_,
                                                     .rows = rows,
                                                     .log_enter = expected_.log_initial.data(),
                                                     .log_matrix = expected_.log_matrix.data(),
                                                     .logs = logs.data()});
    for (std::size_t t = 0; t < rows; ++t) {
      cells.insert(cells.end(), {path[t] + 1.0, predictive[t]});
      const double* probabilities = &alphas[t * stride_];
      cells.insert(cells.end(), probabilities, probabilities + states_);
    }
  }
}

Model::Score Hmm::score(const Batch& units) const {
  Score result;
  std::vector<double> likelihoods, alphas, shifts, sums, enter(stride_);
  for (std::size_t unit = 0; unit < units.units; ++unit) {
    const std::size_t end = units.offsets[unit + 1];
    enter = means_.initial;
    double sum = 0;
    for (std::size_t begin = units.offsets[unit]; begin < end; begin += kept_rows_) {
      const std::size_t rows = std::min(kept_rows_, end - begin);
      likelihoods.resize(rows * stride_);
      alphas.resize(rows * stride_);
      shifts.resize(rows);
      sums.resize(rows);
      emissions_->log_densities(units.values.data() + begin * columns_, rows, Plug::means,
                                likelihoods.data());
      to_likelihoods(likelihoods.data(), rows, states_, shifts.data());
      forward({.transitions = transitions(means_),
               .rows = rows,
               .enter = enter.data(),
               .likelihoods = likelihoods.data(),
               .alphas = alphas.data(),
               .sums = sums.data()});
      enter_next(transitions(means_), &alphas[(rows - 1) * stride_], sums.back(), enter.data());
      to_logs(sums);
      for (std::size_t t = 0; t < rows; ++t) sum += sums[t] + shifts[t];
    }
    result.log_density += units.weight(unit) * sum;
    result.count += units.weight(unit) * static_cast<double>(end - units.offsets[unit]);
  }
  return result;
}

}  // namespace kullback::conjugate::hmm
