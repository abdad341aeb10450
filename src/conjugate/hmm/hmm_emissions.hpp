// What the rows of a hidden Markov model look like in each state: q(parameters of a state) is a conjugate
// exponential family, one after another in `natural`. Statistics are vectors over states of `stride` numbers
// (hmm_kernels.hpp), one for each feature of a row.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "conjugate/data.hpp"
#include "conjugate/hmm/hmm_kernels.hpp"
#include "conjugate/model.hpp"

namespace kullback {
class Random;
}

namespace kullback::conjugate::hmm {

// Which numbers stand for the unknown parameters: exp of expected logs in the bound and in q(z), posterior
// means in predictions.
enum class Plug { expected_logs, means };

class Emissions {
 public:
  explicit Emissions(std::size_t states) : states_(states), stride_(stride_of(states)) {}
  virtual ~Emissions() = default;

  virtual std::size_t statistics_size() const = 0;
  // The prior and a first q.
  virtual void begin(const Batch& sample, Random& random) = 0;
  virtual void prepare() = 0;
  // out[row][state] = (expected) log density of what is observed in the row; 0 where nothing is.
  virtual void log_densities(const double* cells, std::size_t rows, Plug plug, double* out) const = 0;
  // Adds features of rows times probabilities[row][state].
  virtual void accumulate(const double* cells, std::size_t rows, const double* probabilities,
                          double* statistics) const = 0;
  // Their product with the expected parameters; of constants of a row nothing.
  virtual double expected_log(std::span<const double> statistics) const = 0;
  // Adds statistics to the natural parameters of the prior.
  virtual void update(std::span<const double> statistics, std::span<double> natural) const = 0;
  virtual std::vector<double> mean_parameters() const = 0;
  virtual double log_partition(std::span<const double> natural) const = 0;
  virtual bool is_inside(std::span<const double> natural) const = 0;
  // Symmetrised Kullback-Leibler divergence of rows of two states at posterior means.
  virtual double difference(std::size_t one, std::size_t other) const = 0;
  virtual void add_tables(const Shape& shape, std::vector<ResultTable>& tables) const = 0;

  // KL(q || prior) = <eta_q - eta_p, E T> - A(eta_q) + A(eta_p).
  double divergence() const;

  std::vector<double>& natural() { return natural_; }
  std::vector<double>& prior() { return prior_; }
  const std::vector<double>& natural() const { return natural_; }
  const std::vector<double>& prior() const { return prior_; }
  // What else begin() took from the data.
  std::vector<double>& constants() { return constants_; }
  const std::vector<double>& constants() const { return constants_; }

 protected:
  std::size_t states_;
  std::size_t stride_;
  std::vector<double> natural_;
  std::vector<double> prior_;
  std::vector<double> constants_;
};

// Log densities that are products of features of a row and a table [feature][state].
class FeatureEmissions : public Emissions {
 public:
  FeatureEmissions(std::size_t states, std::size_t columns, std::size_t features)
      : Emissions(states), columns_(columns), features_(features) {
    for (std::vector<double>& table : tables_) table.assign(features * stride_, 0.0);
  }

  std::size_t statistics_size() const override { return features_ * stride_; }
  void log_densities(const double* cells, std::size_t rows, Plug plug, double* out) const override;
  void accumulate(const double* cells, std::size_t rows, const double* probabilities,
                  double* statistics) const override;
  double expected_log(std::span<const double> statistics) const override;

 protected:
  // Features of some rows, one row after another. Returns how many of the first features are needed: the
  // others are 0 in all these rows (and need not be written).
  virtual std::size_t describe(const double* cells, std::size_t rows, double* features) const = 0;
  // For what features cannot say; called with the same rows after them.
  virtual void finish_log_densities(const double*, std::size_t, Plug, double*) const {}
  virtual void finish_statistics(const double*, std::size_t, const double*, double*) const {}

  std::vector<double>& table(Plug plug) { return tables_[plug == Plug::means ? 1 : 0]; }
  const std::vector<double>& table(Plug plug) const { return tables_[plug == Plug::means ? 1 : 0]; }

  std::size_t columns_;
  std::size_t features_;

 private:
  std::vector<double> tables_[2];
};

// ---- Dirichlet distributions. T(p) = log p; natural parameters: the concentrations.
// E log p_i = digamma(a_i) - digamma(sum of a).
void dirichlet_expected_logs(std::span<const double> concentrations, std::span<double> logs);
double dirichlet_log_partition(std::span<const double> concentrations);
// exp(E log p) of smaller ones would leave the range of numbers in products over two rows.
inline constexpr double kLeastConcentration = 0.004;

// ---- Starts.
// One number of a cluster for each row of the sample: k-means++ and a few rounds of Lloyd's algorithm, on
// `transform`ed cells over their standard deviations, missing ones at the mean.
std::vector<std::uint32_t> cluster_rows(const Batch& sample, std::size_t clusters, Random& random,
                                        double (*transform)(double));
// Adds the statistics of rows that belong to the clusters (in states' order).
void accumulate_clusters(const Emissions& emissions, const Batch& sample,
                         std::span<const std::uint32_t> clusters, std::size_t stride,
                         std::span<double> statistics);
// Cells of all rows of the units of a batch.
std::span<const double> cells_of(const Batch& batch);
// "1", "2", ...
std::vector<std::string> state_names(std::size_t states);
std::string column_name(const Shape& shape, std::size_t column);

}  // namespace kullback::conjugate::hmm
