// Products of categorical distributions: phi_kj ~ Dirichlet(alpha, ..., alpha) for column j of component k
// (latent class analysis). A missing cell is left out, which is its exact marginal. Numbers of level v of
// column j are at [(offset_j + v) * K + k]: components are innermost. Natural parameters and statistics have
// this form.
#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "conjugate/mixture/gaussian_prior.hpp"
#include "conjugate/mixture/kernels.hpp"
#include "conjugate/mixture/mixture.hpp"
#include "conjugate/record.hpp"
#include "math/gamma_functions.hpp"

namespace kullback::conjugate {

namespace {

using mixture::Components;
using mixture::Grid;
using mixture::Workspace;

constexpr std::size_t kNone = static_cast<std::size_t>(-1);
constexpr std::size_t kMostPointDimensions = 64;

constexpr auto kLevelConcentration =
    NumberOption("level_concentration", 1, "Dirichlet concentration of each level in each component")
        .above(0);

constexpr const OptionRecord* kOwnOptions[] = {&kLevelConcentration};
constexpr auto kOptions = joined(mixture::kSharedOptions, kOwnOptions);

class Categoricals final : public Components {
 public:
  Categoricals(const OptionValues& values, const Shape& shape)
      : count_(values[mixture::option::kComponents]),
        columns_(shape.columns),
        concentration_(values[kLevelConcentration]) {
    offsets_.push_back(0);
    for (std::size_t j = 0; j < columns_; ++j) {
      const std::size_t levels = j < shape.levels.size() ? shape.levels[j].size() : 0;
      if (levels == 0) {
        throw Error(ErrorKind::bad_input, "column '" + mixture::column_name(shape, j) +
                                              "' has no levels, which a mixture of "
                                              "categoricals needs.");
      }
      offsets_.push_back(offsets_.back() + levels);
    }
    prior_.assign(levels() * count_, concentration_);
    natural_ = prior_;
  }

  std::size_t count() const override { return count_; }
  std::size_t statistics_size() const override { return levels() * count_; }
  std::size_t chunk() const override { return 40 * mixture::kUnitBlock; }
  void begin(const Batch& sample) override;
  std::vector<double> points(const Batch& sample, std::size_t& dimensions) const override;
  void prepare() override;
  void load(const Batch&, Workspace&) const override {}
  void expected_log_densities(const Batch& units, Workspace& workspace, Grid grid) const override;
  double add_statistics(const Batch& units, Workspace& workspace, Grid shares,
                        std::span<double> statistics) const override;
  double expected_log_likelihood(std::span<const double> counts,
                                 std::span<const double> statistics) const override;
  double kl() const override;
  std::vector<std::size_t> places(std::size_t component) const override;
  double log_partition(std::span<const double> natural, std::span<const std::size_t> joined) const override;
  std::span<double> natural() override { return natural_; }
  std::vector<double> target(std::span<const double> counts,
                             std::span<const double> statistics) const override;
  bool is_inside(std::span<const double> natural) const override {
    return std::all_of(natural.begin(), natural.end(), [](double value) { return value > 0; });
  }
  std::vector<double> mean_parameters() const override { return expected_logs_; }
  void adopt_posterior_as_prior() override { prior_ = natural_; }
  void predictive_log_densities(const Batch& units, Workspace& workspace, Grid grid) const override;
  void append_state(std::vector<double>& state) const override;
  void take_state(std::span<const double>& state) override;
  std::vector<std::string> column_names(const Shape&) const override { return {}; }
  void append_cells(std::size_t, std::vector<double>&) const override {}
  std::vector<ResultTable> tables(const Shape& shape) const override;
  Findings findings() const override { return {}; }

 private:
  std::size_t levels() const { return offsets_.back(); }
  // Which of all levels the cell has; kNone where it is missing.
  std::size_t level_of(const Batch& units, std::size_t unit, std::size_t column) const;
  // Sums over the observed cells of rows of `table`.
  void add_up(const Batch& units, std::span<const double> table, Grid grid) const;
  double column_sum(std::span<const double> natural, std::size_t column, std::size_t k) const;

  std::size_t count_, columns_;
  double concentration_;
  std::vector<std::size_t> offsets_;
  std::vector<double> prior_, natural_;
  std::vector<double> expected_logs_, log_predictive_;
};

std::size_t Categoricals::level_of(const Batch& units, std::size_t unit, std::size_t column) const {
  const double cell = units.values[unit * columns_ + column];
  if (std::isnan(cell)) return kNone;
  const std::size_t width = offsets_[column + 1] - offsets_[column];
  if (!(cell >= 0 && cell < static_cast<double>(width))) {
    throw Error(ErrorKind::bad_input, "row " + std::to_string(units.first + unit + 1) + ", column " +
                                          std::to_string(column + 1) + ": category " + std::to_string(cell) +
                                          " is none of the " + std::to_string(width) + " levels.");
  }
  return offsets_[column] + static_cast<std::size_t>(cell);
}

void Categoricals::begin(const Batch&) {
  std::fill(prior_.begin(), prior_.end(), concentration_);
  natural_ = prior_;
}

// Indicators of the levels; where there are many, their images under a fixed map to signs, which keeps
// distances nearly (Johnson, Lindenstrauss).
std::vector<double> Categoricals::points(const Batch& sample, std::size_t& dimensions) const {
  const bool is_mapped = levels() > kMostPointDimensions;
  dimensions = is_mapped ? kMostPointDimensions : levels();
  std::vector<double> points(sample.units * dimensions, 0.0);
  for (std::size_t n = 0; n < sample.units; ++n) {
    double* to = points.data() + n * dimensions;
    for (std::size_t j = 0; j < columns_; ++j) {
      const std::size_t level = level_of(sample, n, j);
      if (level == kNone) continue;
      if (!is_mapped) {
        to[level] = 1;
        continue;
      }
      std::uint64_t bits = (level + 1) * 0x9e3779b97f4a7c15ULL;
      bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ULL;
      bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebULL;
      bits ^= bits >> 31;
      for (std::size_t d = 0; d < dimensions; ++d) to[d] += (bits >> d) & 1 ? 0.125 : -0.125;
    }
  }
  return points;
}

double Categoricals::column_sum(std::span<const double> natural, std::size_t column, std::size_t k) const {
  double sum = 0;
  for (std::size_t v = offsets_[column]; v < offsets_[column + 1]; ++v) sum += natural[v * count_ + k];
  return sum;
}

void Categoricals::prepare() {
  expected_logs_.resize(natural_.size());
  log_predictive_.resize(natural_.size());
  for (std::size_t j = 0; j < columns_; ++j) {
    for (std::size_t k = 0; k < count_; ++k) {
      const double sum = column_sum(natural_, j, k);
      const double digamma_sum = math::digamma_positive(sum);
      for (std::size_t v = offsets_[j]; v < offsets_[j + 1]; ++v) {
        const std::size_t at = v * count_ + k;
        expected_logs_[at] = math::digamma_positive(natural_[at]) - digamma_sum;
        log_predictive_[at] = std::log(natural_[at] / sum);
      }
    }
  }
}

void Categoricals::add_up(const Batch& units, std::span<const double> table, Grid grid) const {
  std::vector<double> sums(count_);
  for (std::size_t n = 0; n < units.units; ++n) {
    std::fill(sums.begin(), sums.end(), 0.0);
    for (std::size_t j = 0; j < columns_; ++j) {
      const std::size_t level = level_of(units, n, j);
      if (level == kNone) continue;
      const double* row = table.data() + level * count_;
      for (std::size_t k = 0; k < count_; ++k) sums[k] += row[k];
    }
    for (std::size_t k = 0; k < count_; ++k) grid.values[k * grid.stride + n] = sums[k];
  }
}

void Categoricals::expected_log_densities(const Batch& units, Workspace&, Grid grid) const {
  add_up(units, expected_logs_, grid);
}

void Categoricals::predictive_log_densities(const Batch& units, Workspace&, Grid grid) const {
  add_up(units, log_predictive_, grid);
  double* fresh = grid.values + count_ * grid.stride;
  for (std::size_t n = 0; n < units.units; ++n) {
    fresh[n] = 0;
    for (std::size_t j = 0; j < columns_; ++j) {
      if (level_of(units, n, j) == kNone) continue;
      fresh[n] -= std::log(static_cast<double>(offsets_[j + 1] - offsets_[j]));
    }
  }
}

double Categoricals::add_statistics(const Batch& units, Workspace&, Grid shares,
                                    std::span<double> statistics) const {
  std::vector<double> own(count_);
  for (std::size_t n = 0; n < units.units; ++n) {
    for (std::size_t k = 0; k < count_; ++k) own[k] = shares.values[k * shares.stride + n];
    for (std::size_t j = 0; j < columns_; ++j) {
      const std::size_t level = level_of(units, n, j);
      if (level == kNone) continue;
      double* row = statistics.data() + level * count_;
      for (std::size_t k = 0; k < count_; ++k) row[k] += own[k];
    }
  }
  return 0;
}

std::vector<double> Categoricals::target(std::span<const double>, std::span<const double> statistics) const {
  std::vector<double> result = prior_;
  for (std::size_t i = 0; i < result.size(); ++i) result[i] += statistics[i];
  return result;
}

double Categoricals::expected_log_likelihood(std::span<const double>,
                                             std::span<const double> statistics) const {
  double sum = 0;
  for (std::size_t i = 0; i < expected_logs_.size(); ++i) sum += statistics[i] * expected_logs_[i];
  return sum;
}

std::vector<std::size_t> Categoricals::places(std::size_t component) const {
  std::vector<std::size_t> result;
  for (std::size_t v = 0; v < levels(); ++v) result.push_back(v * count_ + component);
  return result;
}

// Of Dirichlets: sum of log Gamma(alpha) less log Gamma of their sum.
double Categoricals::log_partition(std::span<const double> natural,
                                   std::span<const std::size_t> joined) const {
  double result = 0;
  for (std::size_t j = 0; j < columns_; ++j) {
    double all = 0;
    for (std::size_t v = offsets_[j]; v < offsets_[j + 1]; ++v) {
      double alpha = concentration_;
      for (const std::size_t k : joined) alpha += natural[v * count_ + k] - prior_[v * count_ + k];
      result += math::log_gamma(alpha);
      all += alpha;
    }
    result -= math::log_gamma(all);
  }
  return result;
}

double Categoricals::kl() const {
  double sum = 0;
  for (std::size_t j = 0; j < columns_; ++j) {
    for (std::size_t k = 0; k < count_; ++k) {
      sum += math::log_gamma(column_sum(natural_, j, k)) - math::log_gamma(column_sum(prior_, j, k));
    }
  }
  for (std::size_t i = 0; i < natural_.size(); ++i) {
    sum += math::log_gamma(prior_[i]) - math::log_gamma(natural_[i]) +
           (natural_[i] - prior_[i]) * expected_logs_[i];
  }
  return sum;
}

void Categoricals::append_state(std::vector<double>& state) const {
  state.insert(state.end(), prior_.begin(), prior_.end());
  state.insert(state.end(), natural_.begin(), natural_.end());
}

void Categoricals::take_state(std::span<const double>& state) {
  mixture::take(state, prior_);
  mixture::take(state, natural_);
}

std::vector<ResultTable> Categoricals::tables(const Shape& shape) const {
  ResultTable table{.name = "levels", .columns = {}, .cells = {}};
  for (std::size_t k = 0; k < count_; ++k) {
    table.columns.emplace_back("component_").append(std::to_string(k + 1));
  }
  table.row_head = "level";
  for (std::size_t j = 0; j < columns_; ++j) {
    for (std::size_t v = offsets_[j]; v < offsets_[j + 1]; ++v) {
      table.row_names.push_back(mixture::column_name(shape, j) + "=" + shape.levels[j][v - offsets_[j]]);
      for (std::size_t k = 0; k < count_; ++k) {
        table.cells.push_back(std::exp(log_predictive_[v * count_ + k]));
      }
    }
  }
  return {table};
}

std::unique_ptr<Model> make(const OptionValues& values, const Shape& shape) {
  return std::make_unique<mixture::Mixture>(std::make_unique<Categoricals>(values, shape), values, shape);
}

}  // namespace

extern const ModelRecord k_categorical_mixture;
const ModelRecord k_categorical_mixture = {
    .verb = "mixture",
    .kind = "categorical",
    .summary = "Mixture of products of categorical distributions with Dirichlet priors (latent classes).",
    .use_when = "Rows of answers or codes fall into groups.",
    .citation = "Goodman 1974; Blei, Jordan 2006",
    .data = DataKind::table,
    .takes_missing = true,
    .takes_categories = true,
    .options = kOptions,
    .make = &make,
};

}  // namespace kullback::conjugate
