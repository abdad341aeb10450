// Bayesian linear regression: y = x'w + noise of precision tau. A row adds (xx', xy, y^2) to the statistics,
// the packed Gram matrix of (1, x, y) whose last row is (X'y, y'y), whatever q is: one pass is enough. With a
// Gaussian prior q is the posterior and the bound the log evidence.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "base/error.hpp"
#include "conjugate/record.hpp"
#include "conjugate/regress/notes.hpp"
#include "conjugate/regress/options.hpp"
#include "conjugate/regress/pieces.hpp"
#include "conjugate/regress/regression.hpp"
#include "conjugate/regress/rows.hpp"

namespace kullback::conjugate {

extern const ModelRecord k_regress_linear;

namespace {

using namespace regress;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

constexpr auto kInterceptPrecision =
    NumberOption("intercept_precision", 1e-6, "Prior precision of the intercept").above(0);
constexpr auto kNoise = NumberOption("noise", "Standard deviation of the noise where it is known")
                            .above(0)
                            .hinted("Leave it out: it is then learned.");
constexpr auto kNoiseShape =
    NumberOption("noise_shape", kVague, "Shape of the gamma prior of the noise precision").above(0);
constexpr auto kNoiseRate =
    NumberOption("noise_rate", kVague, "Its rate, for a target of standard deviation 1").above(0);

constexpr const OptionRecord* kOwnOptions[] = {&kInterceptPrecision, &kNoise, &kNoiseShape, &kNoiseRate};
constexpr auto kOptions = joined(kSharedOptions, kOwnOptions);

void read_noise(const OptionValues& values, PriorChoice& choice) {
  choice.knows_noise = values.is_given(kNoise);
  if (choice.knows_noise && (values.is_given(kNoiseShape) || values.is_given(kNoiseRate))) {
    throw Error(ErrorKind::usage, "--noise says what the noise is; its prior has no effect beside it.",
                "Leave out --noise, or --noise-shape and --noise-rate.");
  }
  choice.noise = {values[kNoiseShape], values[kNoiseRate]};
}

class Linear final : public Regression {
 public:
  Linear(const OptionValues& values, const Shape& shape, const PriorChoice& choice)
      : Regression(values, shape, choice), noise_(values[kNoise]) {}

  std::size_t statistics_size() const override { return packed_size(size() + 1); }
  bool has_fixed_statistics() const override { return true; }

  void begin(const Batch& sample, Random& random) override {
    units() = units_of(sample, scales());
    const double ratio = noise_ > 0 ? units().scale.back() / noise_ : 1;
    posterior().begin(ratio * ratio, units_in_all(), random);
  }

  void local_step(const Batch& batch, std::span<double>, Statistics& statistics) const override {
    RowBlock block(columns()), weighted(batch.weights.empty() ? 0 : columns());
    double weight = 0;
    for (std::size_t begin = 0; begin < batch.units; begin += kBlockRows) {
      const std::size_t end = std::min(begin + kBlockRows, batch.units);
      block.load(batch, begin, end, units());
      for (std::size_t n = begin; n < end; ++n) weight += batch.weight(n);
      if (batch.weights.empty()) {
        add_gram(block, block, size() + 1, statistics.values.data());
      } else {
        weighted.copy_weighted(block, size() + 1, batch.weights.data() + begin);
        add_gram(weighted, block, size() + 1, statistics.values.data());
      }
    }
    statistics.units += weight;
    // The density of y, not of y in standard units, and the constant of the normal density.
    statistics.local -= weight * (std::log(units().scale.back()) + 0.5 * kLog2Pi);
    refuse_missing(batch, statistics);
  }

  std::vector<ResultTable> tables(const Shape& shape) const override {
    std::vector<ResultTable> tables = Regression::tables(shape);
    const double scale = units().scale.back();
    const auto sd_at = [&](double probability) {
      if (knows_noise()) return noise_;
      const double tau = gamma_quantile(posterior().noise(), probability);
      return tau > 0 ? scale / std::sqrt(tau) : kNaN;
    };
    tables.push_back({"noise", {"sd", "lower", "upper"}, {noise_sd(), sd_at(0.975), sd_at(0.025)}});
    return tables;
  }

  Figures figures() const override {
    Figures figures = Regression::figures();
    figures.emplace_back("noise sd", noise_sd());
    figures.emplace_back("R squared", quality());
    return figures;
  }

  Findings findings(const Statistics& statistics) const override {
    Findings found = findings_of_columns(likelihood(statistics), names());
    const Likelihood data = likelihood(statistics);
    if (data.rows > 0 && total_squares(data) <= 1e-14 * data.squares) {
      found.push_back({"constant-target", "The target '" + names().back() + "' is the same in all rows.",
                       "its deviations from " + std::to_string(units().centre.back()) + " are 0",
                       "Check that --target names the right column."});
    }
    return found;
  }

  std::vector<std::string> unit_columns(const Shape&) const override { return {"mean", "sd", "log_density"}; }

 protected:
  Likelihood likelihood(const Statistics& statistics) const override {
    const std::span<const double> values = statistics.values;
    return {statistics.units, values.back(), values.first(gram_size()), values.subspan(gram_size(), size())};
  }
  double quality_of(const Statistics& statistics) const override {
    const Likelihood data = likelihood(statistics);
    const double all = total_squares(data);
    return all > 0 ? 1 - residual_squares(data, posterior().mean()) / all : 0;
  }
  // Under q(w, tau) normal-gamma, y is exactly Student's t. With spike and slab, x'w is taken for a normal
  // whose variance is added to that of the noise, with the degrees of q(tau).
  double log_density(const Seen& row) const override {
    return log_t_density(row.target - row.mean, squared_scale_of_target(row), degrees()) -
           std::log(units().scale.back());
  }
  void add_line(const Seen& row, std::vector<double>& cells) const override {
    const double scale = units().scale.back();
    cells.push_back(units().centre.back() + scale * row.mean);
    cells.push_back(scale * std::sqrt(squared_scale_of_target(row)) * sd_over_scale(degrees()));
    cells.push_back(log_density(row));
  }

 private:
  static double total_squares(const Likelihood& data) {
    return data.squares - data.moments[0] * data.moments[0] / data.rows;
  }
  double squared_scale_of_target(const Seen& row) const {
    return row.squared_scale + 1 / posterior().expected_tau();
  }
  double degrees() const {
    return knows_noise() ? std::numeric_limits<double>::infinity() : 2 * posterior().noise().shape;
  }
  double noise_sd() const { return units().scale.back() / std::sqrt(posterior().expected_tau()); }

  double noise_;  // known; 0: learned
};

std::unique_ptr<Model> make_linear(const OptionValues& values, const Shape& shape) {
  refuse_target(shape, false);
  PriorChoice choice = read_prior(values, shape);
  choice.intercept_precision = values[kInterceptPrecision];
  read_noise(values, choice);
  return std::make_unique<Linear>(values, shape, choice);
}

}  // namespace

const ModelRecord k_regress_linear = {
    .verb = "regress",
    .kind = "linear",
    .summary =
        "Bayesian linear regression: exact with a Gaussian prior; shrinkage, relevance or selection of "
        "columns learned.",
    .use_when = "The target is a number and depends on the columns by a weighted sum.",
    .citation =
        "Drugowitsch (2013), arXiv:1310.5438; Titsias and Lazaro-Gredilla (2011); Carbonetto and "
        "Stephens (2012)",
    .data = DataKind::table,
    .has_target = true,
    .options = kOptions,
    .make = &make_linear,
};

}  // namespace kullback::conjugate
