// What the components of a mixture are: K distributions of one unit with conjugate priors. A Mixture puts
// weights and assignments around them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/finding.hpp"
#include "conjugate/data.hpp"
#include "conjugate/model.hpp"

namespace kullback::conjugate::mixture {

// What one thread needs for some units; the components fill it as they like.
struct Workspace {
  std::vector<double> rows;
  std::vector<double> columns;
  std::vector<double> product;
  std::vector<std::size_t> incomplete;  // units with missing cells
};

// Numbers of unit n and component k are at [k * stride + n].
struct Grid {
  double* values;
  std::size_t stride;
};

class Components {
 public:
  virtual ~Components() = default;

  virtual std::size_t count() const = 0;
  // Besides the K expected numbers of units, which the mixture keeps.
  virtual std::size_t statistics_size() const = 0;
  // Units to be worked on at a time; a multiple of kUnitBlock.
  virtual std::size_t chunk() const = 0;

  // Priors, from a sample. Throws Error bad_input for data that no mixture can be fitted to.
  virtual void begin(const Batch& sample) = 0;
  // Points whose Euclidean distances tell units of different components apart, row after row, for k-means.
  virtual std::vector<double> points(const Batch& sample, std::size_t& dimensions) const = 0;

  virtual void prepare() = 0;
  // E log p(x_n | component k). At most chunk() units; the grid has a stride of at least as many, rounded up
  // to kUnitBlock.
  virtual void expected_log_densities(const Batch& units, Workspace& workspace, Grid grid) const = 0;
  // Adds expected statistics of units with these shares (responsibility times weight) in the components.
  // The workspace is as expected_log_densities left it, for the same units. Returns what the bound gets of
  // these units beside: entropies of missing cells, terms without parameters.
  virtual double add_statistics(const Batch& units, Workspace& workspace, Grid shares,
                                std::span<double> statistics) const = 0;
  // Fills the workspace where the shares do not come from expected_log_densities.
  virtual void load(const Batch& units, Workspace& workspace) const = 0;
  // E log p(x | z) of all units, less what add_statistics returned.
  virtual double expected_log_likelihood(std::span<const double> counts,
                                         std::span<const double> statistics) const = 0;
  virtual double kl() const = 0;

  // Where the statistics of one component are, in the same order for each; what is in no list belongs to all.
  virtual std::vector<std::size_t> places(std::size_t component) const = 0;
  // Log-partition L of what belongs to some components where these are one: from natural parameters that are
  // optimal for statistics, the bound of these gains L({j, k}) - L({j}) - L({k}) + L({}) in the components
  // where k's statistics become j's. Components have the same prior.
  virtual double log_partition(std::span<const double> natural,
                               std::span<const std::size_t> joined) const = 0;

  virtual std::span<double> natural() = 0;
  virtual std::vector<double> target(std::span<const double> counts,
                                     std::span<const double> statistics) const = 0;
  virtual bool is_inside(std::span<const double> natural) const = 0;
  virtual std::vector<double> mean_parameters() const = 0;
  virtual void adopt_posterior_as_prior() = 0;

  // Log of the posterior predictive density of each unit in each component, and as component K in a new one,
  // which has its prior.
  virtual void predictive_log_densities(const Batch& units, Workspace& workspace, Grid grid) const = 0;

  virtual void append_state(std::vector<double>& state) const = 0;
  virtual void take_state(std::span<const double>& state) = 0;

  // Columns of components.csv, without the weights: K rows.
  virtual std::vector<std::string> column_names(const Shape& shape) const = 0;
  virtual void append_cells(std::size_t component, std::vector<double>& cells) const = 0;
  virtual std::vector<ResultTable> tables(const Shape& shape) const = 0;
  virtual Findings findings() const = 0;
};

}  // namespace kullback::conjugate::mixture
