#include "conjugate/mixture/mixture.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "base/random.hpp"
#include "conjugate/mixture/kernels.hpp"
#include "conjugate/mixture/kmeans.hpp"

namespace kullback::conjugate::mixture {

struct Scratch {
  Workspace workspace;
  std::vector<double> grid;
  std::vector<double> entropies;
  std::vector<double> log_sums;
  std::size_t stride = 0;

  Grid fit(std::size_t components, std::size_t units) {
    stride = round_up(units, kUnitBlock);
    grid.resize(components * stride);
    entropies.resize(stride);
    log_sums.resize(stride);
    return {grid.data(), stride};
  }
};

namespace {

constexpr double kInUse = 1.0;  // expected units of a component that is in use

// Buffers of this size are pages of their own: to get them anew for each chunk costs more than to fill them.
Scratch& scratch_of_thread() {
  static thread_local Scratch scratch;
  return scratch;
}

template <class Work>
void for_chunks(const Batch& units, std::size_t chunk, const Work& work) {
  for (std::size_t begin = 0; begin < units.units; begin += chunk) {
    work(units.part(begin, std::min(begin + chunk, units.units)), begin);
  }
}

void weigh(const Batch& units, Grid shares, std::size_t components) {
  if (units.weights.empty()) return;
  for (std::size_t k = 0; k < components; ++k) {
    double* at = shares.values + k * shares.stride;
    for (std::size_t n = 0; n < units.units; ++n) at[n] *= units.weights[n];
  }
}

double sum_of_weights(const Batch& units) {
  if (units.weights.empty()) return static_cast<double>(units.units);
  return std::accumulate(units.weights.begin(), units.weights.end(), 0.0);
}

double weighted_sum(const Batch& units, std::span<const double> values) {
  double sum = 0;
  for (std::size_t n = 0; n < units.units; ++n) sum += units.weight(n) * values[n];
  return sum;
}

std::string count_of(std::size_t n, const std::string& word) {
  return std::to_string(n) + " " + word + (n == 1 ? "" : "s");
}

}  // namespace

Mixture::Mixture(std::unique_ptr<Components> components, const OptionValues& values, const Shape& shape)
    : components_(std::move(components)),
      weights_(components_->count(), values[option::kWeights] == WeightsPrior::dp,
               values.given(option::kConcentration)
                   .value_or(1.0 / static_cast<double>(values[option::kComponents]))),
      starts_random_(values[option::kStart] == FirstAssignments::random),
      joins_(values[option::kJoin]),
      all_units_(static_cast<double>(shape.units)) {}

std::size_t Mixture::statistics_size() const { return count() + components_->statistics_size(); }

void Mixture::check_sample(const Batch& sample) const {
  if (sample.units >= count() && sample.units > 0) return;
  throw Error(ErrorKind::bad_input,
              "the data have " + count_of(sample.units, "row") + ", fewer than the " +
                  count_of(count(), "component") + " of the mixture.",
              "Give --components a number of at most " + std::to_string(sample.units) + ".");
}

void Mixture::begin(const Batch& sample, Random& random) {
  check_sample(sample);
  components_->begin(sample);
  std::vector<std::uint32_t> labels;
  if (!starts_random_) {
    std::size_t dimensions = 0;
    const std::vector<double> points = components_->points(sample, dimensions);
    labels = cluster(points, dimensions, count(), random);
  }
  Statistics statistics;
  statistics.values.assign(statistics_size(), 0.0);
  Scratch& scratch = scratch_of_thread();
  for_chunks(sample, chunk(), [&](const Batch& part, std::size_t begin) {
    const Grid grid = scratch.fit(count(), part.units);
    std::fill(scratch.grid.begin(), scratch.grid.end(), 0.0);
    for (std::size_t n = 0; n < part.units; ++n) {
      if (!starts_random_) {
        grid.values[labels[begin + n] * grid.stride + n] = 1;
        continue;
      }
      double sum = 0;
      for (std::size_t k = 0; k < count(); ++k) {
        sum += grid.values[k * grid.stride + n] = random.uniform();
      }
      for (std::size_t k = 0; k < count(); ++k) grid.values[k * grid.stride + n] /= sum;
    }
    components_->load(part, scratch.workspace);
    std::fill(scratch.entropies.begin(), scratch.entropies.end(), 0.0);
    add(part, scratch, statistics);
  });
  // As if the whole data were like the sample.
  const double scale = all_units_ > statistics.units ? all_units_ / statistics.units : 1.0;
  for (double& value : statistics.values) value *= scale;
  set_from(statistics);
}

void Mixture::set_from(const Statistics& statistics) {
  ExactMover mover;
  for (std::size_t block = 0; block < blocks(); ++block) global_step(block, statistics, mover);
  prepare();
}

void Mixture::prepare() {
  expected_log_weights_ = weights_.expected_logs();
  components_->prepare();
}

void Mixture::fill_log_shares(const Batch& units, Scratch& scratch) const {
  const Grid grid = scratch.fit(count(), units.units);
  components_->expected_log_densities(units, scratch.workspace, grid);
  for (std::size_t k = 0; k < count(); ++k) {
    const double weight = expected_log_weights_[k];
    double* at = grid.values + k * grid.stride;
    for (std::size_t n = 0; n < units.units; ++n) at[n] += weight;
  }
}

void Mixture::add(const Batch& units, Scratch& scratch, Statistics& statistics) const {
  const Grid grid{scratch.grid.data(), scratch.stride};
  weigh(units, grid, count());
  for (std::size_t k = 0; k < count(); ++k) {
    const double* at = grid.values + k * grid.stride;
    statistics.values[k] += std::accumulate(at, at + units.units, 0.0);
  }
  statistics.local += weighted_sum(units, scratch.entropies);
  statistics.local += components_->add_statistics(units, scratch.workspace, grid,
                                                  std::span(statistics.values).subspan(count()));
  statistics.units += sum_of_weights(units);
}

void Mixture::local_step(const Batch& units, std::span<double>, Statistics& statistics) const {
  Scratch& scratch = scratch_of_thread();
  for_chunks(units, chunk(), [&](const Batch& part, std::size_t) {
    fill_log_shares(part, scratch);
    normalise({.shares = scratch.grid.data(),
               .components = count(),
               .stride = scratch.stride,
               .units = part.units,
               .entropies = scratch.entropies.data(),
               .log_sums = nullptr,
               .cut = kSmallestShare});
    add(part, scratch, statistics);
  });
}

Statistics Mixture::statistics_of(const Batch& units, std::span<const double> responsibilities) const {
  Statistics statistics;
  statistics.values.assign(statistics_size(), 0.0);
  Scratch& scratch = scratch_of_thread();
  for_chunks(units, chunk(), [&](const Batch& part, std::size_t begin) {
    const Grid grid = scratch.fit(count(), part.units);
    std::fill(scratch.grid.begin(), scratch.grid.end(), 0.0);
    for (std::size_t n = 0; n < part.units; ++n) {
      scratch.entropies[n] = 0;
      for (std::size_t k = 0; k < count(); ++k) {
        const double share = responsibilities[(begin + n) * count() + k];
        grid.values[k * grid.stride + n] = share;
        if (share > 0) scratch.entropies[n] -= share * std::log(share);
      }
    }
    components_->load(part, scratch.workspace);
    add(part, scratch, statistics);
  });
  return statistics;
}

void Mixture::global_step(std::size_t block, const Statistics& statistics, Mover& mover) {
  const auto counts = std::span(statistics.values).first(count());
  if (block == 0) {
    mover.move(block, weights_.natural(), weights_.target(counts),
               [this](std::span<const double> natural) { return weights_.is_inside(natural); });
    return;
  }
  mover.move(block, components_->natural(),
             components_->target(counts, std::span(statistics.values).subspan(count())),
             [this](std::span<const double> natural) { return components_->is_inside(natural); });
}

std::span<double> Mixture::natural(std::size_t block) {
  return block == 0 ? weights_.natural() : components_->natural();
}

std::vector<double> Mixture::mean_parameters(std::size_t block) const {
  return block == 0 ? weights_.mean_parameters() : components_->mean_parameters();
}

Terms Mixture::elbo(const Statistics& statistics) const {
  const auto counts = std::span(statistics.values).first(count());
  const auto rest = std::span(statistics.values).subspan(count());
  const double assignments =
      std::inner_product(counts.begin(), counts.end(), expected_log_weights_.begin(), 0.0);
  return {{"log likelihood", components_->expected_log_likelihood(counts, rest)},
          {"log weights", assignments},
          {"entropy of units", statistics.local},
          {"KL of weights", -weights_.kl()},
          {"KL of components", -components_->kl()}};
}

void Mixture::adopt_posterior_as_prior() {
  adopted_ = true;
  weights_.adopt_posterior_as_prior();
  components_->adopt_posterior_as_prior();
  prepare();
}

std::vector<double> Mixture::state() const {
  std::vector<double> state;
  weights_.append_state(state);
  components_->append_state(state);
  return state;
}

void Mixture::set_state(std::span<const double> state) {
  weights_.take_state(state);
  components_->take_state(state);
  if (!state.empty()) {
    throw Error(ErrorKind::internal, "the state of a mixture is longer than its settings need.");
  }
}

std::vector<ResultTable> Mixture::tables(const Shape& shape) const {
  ResultTable table{.name = "components", .columns = {"weight"}, .cells = {}};
  for (std::string& name : components_->column_names(shape)) table.columns.push_back(std::move(name));
  table.row_head = "component";
  const std::vector<double> weights = weights_.expected();
  for (std::size_t k = 0; k < count(); ++k) {
    table.row_names.push_back(std::to_string(k + 1));
    table.cells.push_back(weights[k]);
    components_->append_cells(k, table.cells);
  }
  std::vector<ResultTable> result = {std::move(table)};
  for (ResultTable& other : components_->tables(shape)) result.push_back(std::move(other));
  return result;
}

Figures Mixture::figures() const {
  const std::vector<double> weights = weights_.expected();
  double entropy = 0;
  for (const double weight : weights) entropy -= weight > 0 ? weight * std::log(weight) : 0.0;
  const auto in_use = std::count_if(weights.begin(), weights.end(),
                                    [&](double weight) { return weight * all_units_ >= kInUse; });
  Figures figures = {{"components", static_cast<double>(count())},
                     {"components in use", static_cast<double>(in_use)},
                     {"effective components", std::exp(entropy)},
                     {"largest weight", *std::max_element(weights.begin(), weights.end())}};
  if (weights_.is_process()) figures.emplace_back("weight beyond", weights_.remainder());
  return figures;
}

Findings Mixture::findings(const Statistics& statistics) const {
  Findings findings = components_->findings();
  std::string empty;
  std::size_t empties = 0;
  for (std::size_t k = 0; k < count(); ++k) {
    if (statistics.values[k] >= kInUse) continue;
    if (++empties <= 10) empty += (empty.empty() ? "" : ", ") + std::to_string(k + 1);
  }
  if (empties > 10) empty += ", ...";
  if (empties > 0 && !weights_.is_process()) {
    findings.push_back({"empty-components",
                        std::to_string(empties) + " of " + count_of(count(), "component") +
                            (empties == 1 ? " holds" : " hold") + " less than one row.",
                        "components " + empty + "; they keep their prior",
                        "The data do not need them: lower --components, or leave it so."});
  }
  if (empties == 0 && weights_.is_process() && count() > 1) {
    findings.push_back({"truncation",
                        "all " + std::to_string(count()) + " components are in use, the most there can be.",
                        "expected weight of components beyond: " + std::to_string(weights_.remainder()),
                        "Raise --components."});
  }
  return findings;
}

std::vector<std::string> Mixture::unit_columns(const Shape&) const {
  std::vector<std::string> columns = {"component", "log_density"};
  for (std::size_t k = 0; k < count(); ++k) columns.emplace_back("p").append(std::to_string(k + 1));
  return columns;
}

// Log of the predictive density of each unit in scratch.log_sums.
void Mixture::fill_predictive(const Batch& units, Scratch& scratch) const {
  const std::size_t terms = count() + 1;
  const Grid grid = scratch.fit(terms, units.units);
  components_->predictive_log_densities(units, scratch.workspace, grid);
  std::vector<double> weights = weights_.expected();
  weights.push_back(weights_.remainder());
  for (std::size_t k = 0; k < terms; ++k) {
    const double weight = weights[k] > 0 ? std::log(weights[k]) : -1e300;
    double* at = grid.values + k * grid.stride;
    for (std::size_t n = 0; n < units.units; ++n) at[n] += weight;
  }
  normalise({.shares = grid.values,
             .components = terms,
             .stride = grid.stride,
             .units = units.units,
             .entropies = nullptr,
             .log_sums = scratch.log_sums.data(),
             .cut = 0});
}

// Components are numbered from 1.
void Mixture::unit_lines(const Batch& units, std::vector<double>& cells) const {
  Scratch& scratch = scratch_of_thread();
  for_chunks(units, chunk(), [&](const Batch& part, std::size_t) {
    fill_predictive(part, scratch);
    const std::vector<double> densities = scratch.log_sums;
    fill_log_shares(part, scratch);
    normalise({.shares = scratch.grid.data(),
               .components = count(),
               .stride = scratch.stride,
               .units = part.units,
               .entropies = nullptr,
               .log_sums = nullptr,
               .cut = 0});
    for (std::size_t n = 0; n < part.units; ++n) {
      const auto share = [&](std::size_t k) { return scratch.grid[k * scratch.stride + n]; };
      std::size_t likeliest = 0;
      for (std::size_t k = 1; k < count(); ++k) likeliest = share(k) > share(likeliest) ? k : likeliest;
      cells.push_back(static_cast<double>(likeliest + 1));
      cells.push_back(densities[n]);
      for (std::size_t k = 0; k < count(); ++k) cells.push_back(share(k));
    }
  });
}

Model::Score Mixture::score(const Batch& units) const {
  Scratch& scratch = scratch_of_thread();
  Score score;
  for_chunks(units, chunk(), [&](const Batch& part, std::size_t) {
    fill_predictive(part, scratch);
    score.log_density += weighted_sum(part, scratch.log_sums);
    score.count += sum_of_weights(part);
  });
  return score;
}

}  // namespace kullback::conjugate::mixture
