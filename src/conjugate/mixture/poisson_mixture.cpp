// Products of Poisson distributions: x_nj ~ Poisson(lambda_kj), lambda_kj ~ Gamma(a, b_j). A missing cell is
// left out, which is its exact marginal. Numbers of column j are at [j * K + k]: components are innermost.
// Natural parameters: all shapes, then all rates. Statistics: sums r x, then expected numbers of observed
// cells.
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

constexpr auto kPriorShape = NumberOption("prior_shape", 1, "Shape of the gamma prior of each rate").above(0);
constexpr auto kPriorRate =
    NumberOption("prior_rate", "Rate of that prior (default: its shape / mean of the column)")
        .above(0)
        .hinted("Leave it out: the prior mean is then that of the column.");

constexpr const OptionRecord* kOwnOptions[] = {&kPriorShape, &kPriorRate};
constexpr auto kOptions = joined(mixture::kSharedOptions, kOwnOptions);

class Poissons final : public Components {
 public:
  Poissons(const OptionValues& values, const Shape& shape)
      : count_(values[mixture::option::kComponents]),
        columns_(shape.columns),
        shape_(values[kPriorShape]),
        rate_(values.given(kPriorRate).value_or(0.0)),
        base_rates_(columns_, 1.0),
        prior_(2 * cells(), 1.0),
        natural_(prior_) {}

  std::size_t count() const override { return count_; }
  std::size_t statistics_size() const override { return 2 * cells(); }
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
  std::vector<double> mean_parameters() const override;
  void adopt_posterior_as_prior() override { prior_ = natural_; }
  void predictive_log_densities(const Batch& units, Workspace& workspace, Grid grid) const override;
  void append_state(std::vector<double>& state) const override;
  void take_state(std::span<const double>& state) override;
  std::vector<std::string> column_names(const Shape& shape) const override;
  void append_cells(std::size_t component, std::vector<double>& cells) const override;
  std::vector<ResultTable> tables(const Shape&) const override { return {}; }
  Findings findings() const override { return {}; }

 private:
  std::size_t cells() const { return count_ * columns_; }
  double cell(const Batch& units, std::size_t unit, std::size_t column) const;

  std::size_t count_, columns_;
  double shape_, rate_;
  // State: rates of the prior of a new component, prior, q.
  std::vector<double> base_rates_, prior_, natural_;
  std::vector<double> expected_logs_, expected_;
};

// NaN where it is missing.
double Poissons::cell(const Batch& units, std::size_t unit, std::size_t column) const {
  const double value = units.values[unit * columns_ + column];
  if (value < 0 || value != std::floor(value)) {
    if (std::isnan(value)) return value;
    throw Error(ErrorKind::bad_input,
                "row " + std::to_string(units.first + unit + 1) + ", column " + std::to_string(column + 1) +
                    ": " + std::to_string(value) +
                    " is no count; a mixture of Poissons needs whole numbers from 0 on.");
  }
  return value;
}

void Poissons::begin(const Batch& sample) {
  for (std::size_t j = 0; j < columns_; ++j) {
    double sum = 0, weight = 0;
    for (std::size_t n = 0; n < sample.units; ++n) {
      const double x = cell(sample, n, j);
      if (std::isnan(x)) continue;
      sum += sample.weight(n) * x;
      weight += sample.weight(n);
    }
    // A column of zeros is taken to have half an event.
    const double mean = std::max(sum, 0.5) / std::max(weight, 1.0);
    base_rates_[j] = rate_ > 0 ? rate_ : shape_ / mean;
    for (std::size_t k = 0; k < count_; ++k) {
      prior_[j * count_ + k] = shape_;
      prior_[cells() + j * count_ + k] = base_rates_[j];
    }
  }
  natural_ = prior_;
}

// Square roots, whose variance is about 1/4 whatever the mean.
std::vector<double> Poissons::points(const Batch& sample, std::size_t& dimensions) const {
  dimensions = columns_;
  std::vector<double> points(sample.units * columns_);
  for (std::size_t n = 0; n < sample.units; ++n) {
    for (std::size_t j = 0; j < columns_; ++j) {
      const double x = cell(sample, n, j);
      points[n * columns_ + j] = std::sqrt(std::isnan(x) ? shape_ / base_rates_[j] : x);
    }
  }
  return points;
}

void Poissons::prepare() {
  expected_logs_.resize(cells());
  expected_.resize(cells());
  for (std::size_t i = 0; i < cells(); ++i) {
    const double shape = natural_[i], rate = natural_[cells() + i];
    expected_logs_[i] = math::digamma_positive(shape) - std::log(rate);
    expected_[i] = shape / rate;
  }
}

// Without -log x!, which add_statistics gives to the bound.
void Poissons::expected_log_densities(const Batch& units, Workspace&, Grid grid) const {
  std::vector<double> none(count_, 0.0), sums(count_);  // of a row of zeros
  for (std::size_t j = 0; j < columns_; ++j) {
    for (std::size_t k = 0; k < count_; ++k) none[k] -= expected_[j * count_ + k];
  }
  for (std::size_t n = 0; n < units.units; ++n) {
    sums = none;
    for (std::size_t j = 0; j < columns_; ++j) {
      const double x = cell(units, n, j);
      if (x == 0) continue;
      const double* logs = expected_logs_.data() + j * count_;
      const double* means = expected_.data() + j * count_;
      if (std::isnan(x)) {
        for (std::size_t k = 0; k < count_; ++k) sums[k] += means[k];
      } else {
        for (std::size_t k = 0; k < count_; ++k) sums[k] += x * logs[k];
      }
    }
    for (std::size_t k = 0; k < count_; ++k) grid.values[k * grid.stride + n] = sums[k];
  }
}

double Poissons::add_statistics(const Batch& units, Workspace&, Grid shares,
                                std::span<double> statistics) const {
  std::vector<double> own(count_), totals(count_, 0.0);
  double local = 0;
  for (std::size_t n = 0; n < units.units; ++n) {
    for (std::size_t k = 0; k < count_; ++k) {
      own[k] = shares.values[k * shares.stride + n];
      totals[k] += own[k];
    }
    for (std::size_t j = 0; j < columns_; ++j) {
      const double x = cell(units, n, j);
      if (x == 0) continue;
      if (std::isnan(x)) {
        double* observed = statistics.data() + cells() + j * count_;
        for (std::size_t k = 0; k < count_; ++k) observed[k] -= own[k];
        continue;
      }
      double* sums = statistics.data() + j * count_;
      for (std::size_t k = 0; k < count_; ++k) sums[k] += own[k] * x;
      local -= units.weight(n) * math::log_factorial(x);
    }
  }
  for (std::size_t j = 0; j < columns_; ++j) {
    double* observed = statistics.data() + cells() + j * count_;
    for (std::size_t k = 0; k < count_; ++k) observed[k] += totals[k];
  }
  return local;
}

std::vector<double> Poissons::target(std::span<const double>, std::span<const double> statistics) const {
  std::vector<double> result = prior_;
  // Differences of sums are not below 0 but for rounding.
  for (std::size_t i = 0; i < result.size(); ++i) result[i] += std::max(statistics[i], 0.0);
  return result;
}

double Poissons::expected_log_likelihood(std::span<const double>, std::span<const double> statistics) const {
  double sum = 0;
  for (std::size_t i = 0; i < cells(); ++i) {
    sum += statistics[i] * expected_logs_[i] - statistics[cells() + i] * expected_[i];
  }
  return sum;
}

double Poissons::kl() const {
  double sum = 0;
  for (std::size_t i = 0; i < cells(); ++i) {
    const double a = natural_[i], b = natural_[cells() + i];
    const double a0 = prior_[i], b0 = prior_[cells() + i];
    sum += (a - a0) * math::digamma_positive(a) - math::log_gamma(a) + math::log_gamma(a0) +
           a0 * std::log(b / b0) + a * (b0 / b - 1);
  }
  return sum;
}

std::vector<std::size_t> Poissons::places(std::size_t component) const {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < 2 * columns_; ++i) result.push_back(i * count_ + component);
  return result;
}

// Of gammas: log Gamma(a) - a log b.
double Poissons::log_partition(std::span<const double> natural, std::span<const std::size_t> joined) const {
  double sum = 0;
  for (std::size_t j = 0; j < columns_; ++j) {
    double a = shape_, b = base_rates_[j];
    for (const std::size_t k : joined) {
      const std::size_t i = j * count_ + k;
      a += natural[i] - prior_[i];
      b += natural[cells() + i] - prior_[cells() + i];
    }
    sum += math::log_gamma(a) - a * std::log(b);
  }
  return sum;
}

std::vector<double> Poissons::mean_parameters() const {
  std::vector<double> result = expected_logs_;
  for (const double mean : expected_) result.push_back(-mean);
  return result;
}

// Negative binomial.
void Poissons::predictive_log_densities(const Batch& units, Workspace&, Grid grid) const {
  for (std::size_t n = 0; n < units.units; ++n) {
    for (std::size_t k = 0; k <= count_; ++k) {
      double sum = 0;
      for (std::size_t j = 0; j < columns_; ++j) {
        const double x = cell(units, n, j);
        if (std::isnan(x)) continue;
        const double a = k < count_ ? natural_[j * count_ + k] : shape_;
        const double b = k < count_ ? natural_[cells() + j * count_ + k] : base_rates_[j];
        sum += math::log_rising(a, x) - math::log_factorial(x) - a * std::log1p(1 / b) - x * std::log1p(b);
      }
      grid.values[k * grid.stride + n] = sum;
    }
  }
}

void Poissons::append_state(std::vector<double>& state) const {
  for (const std::vector<double>* part : {&base_rates_, &prior_, &natural_}) {
    state.insert(state.end(), part->begin(), part->end());
  }
}

void Poissons::take_state(std::span<const double>& state) {
  for (std::vector<double>* part : {&base_rates_, &prior_, &natural_}) mixture::take(state, *part);
}

std::vector<std::string> Poissons::column_names(const Shape& shape) const {
  std::vector<std::string> names;
  for (std::size_t j = 0; j < columns_; ++j) names.push_back("rate_" + mixture::column_name(shape, j));
  return names;
}

void Poissons::append_cells(std::size_t component, std::vector<double>& cells) const {
  for (std::size_t j = 0; j < columns_; ++j) cells.push_back(expected_[j * count_ + component]);
}

std::unique_ptr<Model> make(const OptionValues& values, const Shape& shape) {
  return std::make_unique<mixture::Mixture>(std::make_unique<Poissons>(values, shape), values, shape);
}

}  // namespace

extern const ModelRecord k_poisson_mixture;
const ModelRecord k_poisson_mixture = {
    .verb = "mixture",
    .kind = "poisson",
    .summary = "Mixture of products of Poisson distributions with gamma priors.",
    .use_when = "Rows of counts fall into groups.",
    .citation = "Blei, Jordan 2006",
    .data = DataKind::table,
    .takes_missing = true,
    .needs_counts = true,
    .options = kOptions,
    .make = &make,
};

}  // namespace kullback::conjugate
