// Bayesian logistic regression. With z = x'w,
//   log sigma(z) >= log sigma(xi) + (z - xi) / 2 - l(xi) (z^2 - xi^2),  l(xi) = tanh(xi / 2) / (4 xi)
// (Jaakkola and Jordan 2000), so that
//   log p(y | z) >= (y - 1/2) z - l(xi) z^2 + [log sigma(xi) - xi / 2 + l(xi) xi^2].
// It is tightest at xi^2 = E z^2, which the local step sets. A row then adds 2 l(xi) xx', (y - 1/2) x and the
// bracket. Statistics: the first of these, packed; the second; sum of y; rows that E w classifies right.
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

extern const ModelRecord k_regress_logistic;

namespace {

using namespace regress;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

constexpr auto kInterceptPrecision =
    NumberOption("intercept_precision", 0.01, "Prior precision of the intercept").above(0);

constexpr const OptionRecord* kOwnOptions[] = {&kInterceptPrecision};
constexpr auto kOptions = joined(kSharedOptions, kOwnOptions);

double bound_curvature(double xi) {
  return xi < 1e-3 ? 0.125 - xi * xi / 96 : std::tanh(0.5 * xi) / (4 * xi);
}
double bound_constant(double xi) {
  const double log_sigmoid = -std::log1p(std::exp(-xi));
  return log_sigmoid - 0.5 * xi + bound_curvature(xi) * xi * xi;
}

class Logistic final : public Regression {
 public:
  using Regression::Regression;

  std::size_t statistics_size() const override { return gram_size() + size() + 2; }

  void begin(const Batch& sample, Random& random) override {
    units() = units_of(sample, scales());
    units().centre.back() = 0;
    units().scale.back() = 1;
    posterior().begin(1, units_in_all(), random);
  }

  void local_step(const Batch& batch, std::span<double>, Statistics& statistics) const override {
    refuse_other_targets(batch);
    double* moments = statistics.values.data() + gram_size();
    double* ones = moments + size();
    RowBlock weighted(columns());
    BlockNumbers curvature{}, pull{};
    for_blocks(batch,
               [&](const RowBlock& block, std::size_t begin, const double* mean, const double* squared) {
                 for (std::size_t n = 0; n < block.rows(); ++n) {
                   const double weight = batch.weight(begin + n);
                   const double y = block.target()[n];
                   const double xi = std::sqrt(mean[n] * mean[n] + squared[n]);
                   curvature[n] = 2 * weight * bound_curvature(xi);
                   pull[n] = weight * (y - 0.5);
                   statistics.local += weight * bound_constant(xi);
                   statistics.units += weight;
                   ones[0] += weight * y;
                   ones[1] += mean[n] * (y - 0.5) > 0 ? weight : 0;
                 }
                 std::fill(pull.begin() + static_cast<std::ptrdiff_t>(block.rows()), pull.end(), 0.0);
                 weighted.copy_weighted(block, size(), curvature.data());
                 add_gram(weighted, block, size(), statistics.values.data());
                 add_products(block, size(), pull.data(), moments);
               });
    refuse_missing(batch, statistics);
  }

  Figures figures() const override {
    Figures figures = Regression::figures();
    figures.emplace_back("accuracy", quality());
    return figures;
  }

  Findings findings(const Statistics& statistics) const override {
    Findings found = findings_of_columns(likelihood(statistics), names());
    const double ones = statistics.values[gram_size() + size()];
    const double right = statistics.values[gram_size() + size() + 1];
    if (ones <= 0 || ones >= statistics.units) {
      found.push_back({"constant-target", "The target '" + names().back() + "' is the same in all rows.",
                       ones <= 0 ? "no row has 1" : "no row has 0",
                       "Check that --target names the right column."});
    } else if (right >= statistics.units * (1 - 1e-12)) {
      found.push_back(
          {"separation", "A plane through the columns separates the two values of '" + names().back() + "'.",
           "all rows are classified right; without a prior coefficients would be infinite",
           "Sizes of coefficients come from the prior: give one you believe in (`--prior gaussian` "
           "--precision), or look for a column that knows the answer."});
    }
    return found;
  }

  std::vector<std::string> unit_columns(const Shape&) const override {
    return {"probability", "label", "log_density"};
  }

 protected:
  Likelihood likelihood(const Statistics& statistics) const override {
    const std::span<const double> values = statistics.values;
    return {statistics.units, 0, values.first(gram_size()), values.subspan(gram_size(), size())};
  }
  double quality_of(const Statistics& statistics) const override {
    return statistics.units > 0 ? statistics.values.back() / statistics.units : 0;
  }
  double log_density(const Seen& row) const override {
    if (std::isnan(row.target)) return kNaN;
    const double towards = row.target > 0.5 ? row.mean : -row.mean;
    const double probability = expected_sigmoid(towards, row.squared_scale);
    // Beyond the smallest number: what the mean alone says.
    return probability > 0 ? std::log(probability) : -std::log1p(std::exp(std::min(-towards, 700.0)));
  }
  void add_line(const Seen& row, std::vector<double>& cells) const override {
    cells.push_back(expected_sigmoid(row.mean, row.squared_scale));
    cells.push_back(row.mean > 0 ? 1 : 0);
    cells.push_back(log_density(row));
  }

 private:
  void refuse_other_targets(const Batch& batch) const {
    for (std::size_t n = 0; n < batch.units; ++n) {
      const double y = batch.row(n)[columns() - 1];
      if (y == 0 || y == 1) continue;
      throw Error(ErrorKind::bad_input,
                  "row " + std::to_string(batch.first + n + 1) + ": the target '" + names().back() + "' is " +
                      (std::isnan(y) ? "missing" : std::to_string(y)) + "; logistic regression needs 0 or 1.",
                  "Write the target as 0 and 1, or as two words.");
    }
  }
};

std::unique_ptr<Model> make_logistic(const OptionValues& values, const Shape& shape) {
  refuse_target(shape, true);
  PriorChoice choice = read_prior(values, shape);
  choice.intercept_precision = values[kInterceptPrecision];
  choice.knows_noise = true;
  choice.noise = {1, 1};  // not read
  return std::make_unique<Logistic>(values, shape, choice);
}

}  // namespace

const ModelRecord k_regress_logistic = {
    .verb = "regress",
    .kind = "logistic",
    .summary = "Bayesian logistic regression by the bound of Jaakkola and Jordan, with the same priors.",
    .use_when = "The target is 0 or 1, or one of two words.",
    .citation = "Jaakkola and Jordan (2000); Drugowitsch (2013), arXiv:1310.5438",
    .data = DataKind::table,
    .target_is_category = true,
    .has_target = true,
    .options = kOptions,
    .make = &make_logistic,
};

}  // namespace kullback::conjugate
