// Rows of counts, independent given the state: x_c ~ Poisson(lambda_kc), lambda_kc ~ Gamma(a, b).
//   T = (log lambda, -lambda),  eta = (a, b),  A = log Gamma(a) - a log b.
// A missing cell is left out, exactly.
#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/random.hpp"
#include "conjugate/hmm/hmm.hpp"
#include "math/gamma_functions.hpp"

namespace kullback::conjugate {

namespace hmm {
namespace {

double root(double x) { return std::sqrt(x); }  // counts over it have about the same variance

constexpr auto kPriorShape =
    NumberOption("prior_shape", 1, "Shape of the gamma prior of rates, whose mean is that of the column")
        .above(0);

constexpr const OptionRecord* kOwnOptions[] = {&kPriorShape};
constexpr auto kOptions = joined(kSharedOptions, kOwnOptions);

// Features: (complete, x, observed in an incomplete row).
class PoissonEmissions final : public FeatureEmissions {
 public:
  PoissonEmissions(const OptionValues& values, const Shape& shape)
      : FeatureEmissions(values[option::kStates], shape.columns, 1 + 2 * shape.columns),
        shape_(values[kPriorShape]) {
    prior_.assign(states_ * columns_ * 2, shape_);
    natural_ = prior_;
  }

  // The prior mean is that of the column; half a count where all are 0.
  void begin(const Batch& sample, Random& random) override {
    const std::span<const double> cells = cells_of(sample);
    for (std::size_t c = 0; c < columns_; ++c) {
      double count = 0, sum = 0;
      for (std::size_t i = c; i < cells.size(); i += columns_) {
        if (std::isnan(cells[i])) continue;
        count += 1;
        sum += cells[i];
      }
      const double mean = std::max(sum, 0.5) / std::max(count, 1.0);
      for (std::size_t k = 0; k < states_; ++k) prior_[at(k, c) + 1] = shape_ / mean;
    }
    natural_ = prior_;
    std::vector<double> statistics(statistics_size());
    accumulate_clusters(*this, sample, cluster_rows(sample, states_, random, root), stride_, statistics);
    update(statistics, natural_);
  }

  void prepare() override {
    const std::vector<double> means = mean_parameters();
    for (const Plug plug : {Plug::expected_logs, Plug::means}) {
      double* rows = table(plug).data();
      std::fill_n(rows, stride_, 0.0);
      for (std::size_t k = 0; k < states_; ++k) {
        for (std::size_t c = 0; c < columns_; ++c) {
          const double rate = -means[at(k, c) + 1];
          const double log_rate = plug == Plug::means ? std::log(rate) : means[at(k, c)];
          rows[k] -= rate;
          rows[(1 + c) * stride_ + k] = log_rate;
          rows[observed(c) * stride_ + k] = -rate;
        }
      }
    }
  }

  void update(std::span<const double> statistics, std::span<double> natural) const override {
    for (std::size_t k = 0; k < states_; ++k) {
      for (std::size_t c = 0; c < columns_; ++c) {
        natural[at(k, c)] += statistics[(1 + c) * stride_ + k];
        natural[at(k, c) + 1] += statistics[k] + statistics[observed(c) * stride_ + k];
      }
    }
  }

  std::vector<double> mean_parameters() const override {
    std::vector<double> result(natural_.size());
    for (std::size_t i = 0; i < natural_.size(); i += 2) {
      result[i] = math::digamma_positive(natural_[i]) - std::log(natural_[i + 1]);
      result[i + 1] = -natural_[i] / natural_[i + 1];
    }
    return result;
  }

  double log_partition(std::span<const double> natural) const override {
    double sum = 0;
    for (std::size_t i = 0; i < natural.size(); i += 2) {
      sum += math::log_gamma(natural[i]) - natural[i] * std::log(natural[i + 1]);
    }
    return sum;
  }

  bool is_inside(std::span<const double> natural) const override {
    return std::all_of(natural.begin(), natural.end(), [](double x) { return x > 0; });
  }

  double difference(std::size_t one, std::size_t other) const override {
    double sum = 0;
    for (std::size_t c = 0; c < columns_; ++c) {
      const double a = rate(one, c), b = rate(other, c);
      sum += (a - b) * std::log(a / b);
    }
    return sum;
  }

  void add_tables(const Shape& shape, std::vector<ResultTable>& tables) const override {
    ResultTable rates{"rates", {}, {}, state_names(states_), "state"};
    for (std::size_t c = 0; c < columns_; ++c) rates.columns.push_back(column_name(shape, c));
    for (std::size_t c = 0; c < columns_; ++c) rates.columns.push_back("sd_" + column_name(shape, c));
    for (std::size_t k = 0; k < states_; ++k) {
      for (std::size_t c = 0; c < columns_; ++c) rates.cells.push_back(rate(k, c));
      for (std::size_t c = 0; c < columns_; ++c) {
        rates.cells.push_back(rate(k, c) / std::sqrt(natural_[at(k, c)]));
      }
    }
    tables.push_back(std::move(rates));
  }

 protected:
  std::size_t describe(const double* cells, std::size_t rows, double* features) const override {
    for (std::size_t t = 0; t < rows; ++t, cells += columns_, features += features_) {
      const bool is_complete = std::none_of(cells, cells + columns_, [](double x) { return std::isnan(x); });
      features[0] = is_complete ? 1.0 : 0.0;
      for (std::size_t c = 0; c < columns_; ++c) {
        const bool is_missing = std::isnan(cells[c]);
        features[1 + c] = is_missing ? 0.0 : cells[c];
        features[observed(c)] = is_complete || is_missing ? 0.0 : 1.0;
      }
    }
    return features_;
  }

  void finish_log_densities(const double* cells, std::size_t rows, Plug, double* out) const override {
    for (std::size_t t = 0; t < rows; ++t) {
      double constant = 0;
      for (std::size_t c = 0; c < columns_; ++c) {
        const double x = cells[t * columns_ + c];
        if (!std::isnan(x)) constant += math::log_factorial(x);
      }
      for (std::size_t k = 0; k < states_; ++k) out[t * stride_ + k] -= constant;
    }
  }

 private:
  std::size_t at(std::size_t state, std::size_t column) const { return 2 * (state * columns_ + column); }
  std::size_t observed(std::size_t column) const { return 1 + columns_ + column; }
  double rate(std::size_t state, std::size_t column) const {
    return natural_[at(state, column)] / natural_[at(state, column) + 1];
  }

  double shape_;
};

std::unique_ptr<Model> make_poisson(const OptionValues& values, const Shape& shape) {
  return std::make_unique<Hmm>(values, shape, std::make_unique<PoissonEmissions>(values, shape));
}

}  // namespace
}  // namespace hmm

extern const ModelRecord k_hmm_poisson;
const ModelRecord k_hmm_poisson = {
    .verb = "hmm",
    .kind = "poisson",
    .summary = "Hidden Markov model whose rows are counts, Poisson in each state",
    .use_when = "numbers of events per period come from a few levels of activity",
    .citation = "Beal (2003), chapter 3; Foti, Xu, Laird, Fox (2014) for parts of long sequences",
    .data = DataKind::sequences,
    .takes_missing = true,
    .needs_counts = true,
    .options = hmm::kOptions,
    .make = &hmm::make_poisson,
};

}  // namespace kullback::conjugate
