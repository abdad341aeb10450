// The Gaussian mixture against scikit-learn, and the evaluator of given parameters.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "conjugate/mixture/mixture.hpp"
#include "conjugate/mixture/plug_in.hpp"
#include "conjugate/record.hpp"

namespace kullback::conjugate {
namespace {

constexpr std::size_t kRows = 12, kColumns = 2, kComponents = 3;

struct Reference {
  std::string covariance, weights_prior;
  double first_bound, second_bound;
  std::vector<double> weights, means, covariances;  // full: after both steps, weights after the second
};
const std::vector<Reference> kReferences = {
#include "tests/conjugate/data/mixture_references.inc"
};

// As in make_mixture_references.py.
std::vector<double> rows() {
  std::vector<double> cells;
  for (std::size_t n = 0; n < kRows; ++n) {
    const double i = static_cast<double>(n), group = static_cast<double>(n % 3);
    cells.push_back(std::sin(1.3 * i) + 2.0 * group);
    cells.push_back(std::cos(0.7 * i * i) - 1.5 * group);
  }
  return cells;
}

std::vector<double> responsibilities() {
  std::vector<double> shares(kRows * kComponents);
  for (std::size_t n = 0; n < kRows; ++n) {
    double sum = 0;
    for (std::size_t k = 0; k < kComponents; ++k) {
      sum += shares[n * kComponents + k] = 1.0 + static_cast<double>((n * (k + 2) + k) % 7);
    }
    for (std::size_t k = 0; k < kComponents; ++k) shares[n * kComponents + k] /= sum;
  }
  return shares;
}

// scikit-learn's bound leaves out what does not change: constants of the density and of the priors.
double left_out(const std::string& weights_prior) {
  const double nu = 3.5, beta = 0.8, alpha = 0.4, log_det = std::log(1.5 * 0.75), size = kColumns;
  double wishart = 0.5 * nu * (size * std::numbers::ln2 - log_det);
  for (std::size_t i = 0; i < kColumns; ++i) wishart += std::lgamma(0.5 * (nu - static_cast<double>(i)));
  const double components = kComponents;
  const double weights = weights_prior == "dp"
                             ? -components * std::log(alpha)
                             : components * std::lgamma(alpha) - std::lgamma(components * alpha);
  return -0.5 * kRows * size * std::log(2 * std::numbers::pi) -
         components * (wishart - 0.5 * size * std::log(beta)) - weights;
}

// scikit-learn counts the prior of a tied covariance once for each component.
std::map<std::string, std::string> settings_of(const Reference& reference) {
  std::map<std::string, std::string> values = {{"components", "3"},
                                               {"covariance", reference.covariance},
                                               {"weights", reference.weights_prior},
                                               {"concentration", "0.4"},
                                               {"mean_precision", "0.8"},
                                               {"degrees", "3.5"},
                                               {"covariance_prior", "1.5,0.75"},
                                               {"mean", "0.5,-0.25"}};
  if (reference.covariance == "tied") {
    values["degrees"] = "10.5";
    values["covariance_scale"] = "3";
  }
  if (reference.covariance == "spherical") values["covariance_prior"] = "1.25";
  return values;
}

void expect_parameters(const Model& model, const Reference& reference, std::size_t step) {
  const std::vector<ResultTable> tables = model.tables({.columns = kColumns});
  const ResultTable& table = tables.front();
  const std::size_t width = table.columns.size();
  const bool is_dense = tables.size() > 1;
  const std::size_t mean_at = is_dense ? 3 : 1;
  for (std::size_t k = 0; k < kComponents; ++k) {
    for (std::size_t d = 0; d < kColumns; ++d) {
      EXPECT_NEAR(table.cells[k * width + mean_at + d],
                  reference.means[(step * kComponents + k) * kColumns + d], 1e-11);
    }
  }
  std::vector<double> covariances;
  if (is_dense) {
    covariances = tables[1].cells;
  } else {
    for (std::size_t i = 0; i < table.cells.size(); ++i) {
      if (i % width >= mean_at + kColumns) covariances.push_back(table.cells[i]);
    }
  }
  const std::size_t offset = step * kComponents * kColumns * kColumns;
  ASSERT_LE(offset + covariances.size(), reference.covariances.size());
  for (std::size_t i = 0; i < covariances.size(); ++i) {
    EXPECT_NEAR(covariances[i], reference.covariances[offset + i], 1e-11);
  }
}

void expect_weights(const Model& model, const Reference& reference) {
  const ResultTable table = model.tables({.columns = kColumns}).front();
  double sum = 0;  // scikit-learn spreads the weight of components beyond over the others
  for (std::size_t k = 0; k < kComponents; ++k) sum += table.cells[k * table.columns.size()];
  for (std::size_t k = 0; k < kComponents; ++k) {
    EXPECT_NEAR(table.cells[k * table.columns.size()] / sum, reference.weights[k], 1e-11);
  }
}

TEST(MixtureReferences, UpdatesAndBoundsAreThoseOfScikitLearn) {
  const std::vector<double> cells = rows();
  const Batch data{.units = kRows, .columns = kColumns, .values = cells};
  for (const Reference& reference : kReferences) {
    SCOPED_TRACE(reference.covariance + ", " + reference.weights_prior);
    const ModelRecord* record = find_model("mixture", "gaussian");
    const auto made = record->make(read_options(record->options, settings_of(reference), record->kind),
                                   {.columns = kColumns, .units = kRows});
    auto& model = dynamic_cast<mixture::Mixture&>(*made);
    Random random(1);
    model.begin(data, random);
    Statistics statistics = model.statistics_of(data, responsibilities());
    model.set_from(statistics);
    expect_parameters(model, reference, 0);
    if (reference.covariance != "full") {  // in scikit-learn the other kinds have inexact E steps and bounds
      expect_weights(model, reference);
      continue;
    }
    const double constant = left_out(reference.weights_prior);
    EXPECT_NEAR(total(model.elbo(statistics)), reference.first_bound + constant, 1e-10);
    statistics = {};
    statistics.values.assign(model.statistics_size(), 0.0);
    model.local_step(data, {}, statistics);
    model.set_from(statistics);
    expect_parameters(model, reference, 1);
    expect_weights(model, reference);
    EXPECT_NEAR(total(model.elbo(statistics)), reference.second_bound + constant, 1e-10);
  }
}

TEST(MixtureReferences, PlugInIsTheDensityOfAMixture) {
  const mixture::PlugIn parameters{
      .weights = {3, 1}, .means = {0, 0, 1, -1}, .covariances = {2, 0, 0, 0.5, 1, 0.5, 0.5, 1}};
  const double cells[] = {0.3, -0.4, 1.2, std::nan("")};
  const Batch data{.units = 2, .columns = 2, .values = cells};
  const auto normal = [](double x, double mean, double variance) {
    return std::exp(-0.5 * (x - mean) * (x - mean) / variance) / std::sqrt(2 * std::numbers::pi * variance);
  };
  // The second cell given the first: correlation 1/2, variance 3/4.
  const double first = 0.75 * normal(0.3, 0, 2) * normal(-0.4, 0, 0.5) +
                       0.25 * normal(0.3, 1, 1) * normal(-0.4, -1 + 0.5 * (0.3 - 1), 0.75);
  const double second = 0.75 * normal(1.2, 0, 2) + 0.25 * normal(1.2, 1, 1);
  EXPECT_NEAR(mixture::log_likelihood(parameters, data), std::log(first) + std::log(second), 1e-13);
  mixture::PlugIn wrong = parameters;
  wrong.covariances[4] = -1;
  EXPECT_THROW(mixture::log_likelihood(wrong, data), Error);
  wrong.means.pop_back();
  EXPECT_THROW(mixture::log_likelihood(wrong, data), Error);
}

}  // namespace
}  // namespace kullback::conjugate
