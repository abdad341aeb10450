// The one contract of conjugate models. Data x_n have local latent variables z_n and share global ones theta:
//   p(theta) prod_n p(z_n, x_n | theta),   q(theta) prod_n q(z_n),
// all complete conditionals in exponential families. What the data say of theta is a sum over units of
// expected sufficient statistics; a coordinate update of a block of q(theta) sets its natural parameters to
// prior + statistics, and a natural-gradient step moves them a part of that way (Hoffman, Blei, Wang, Paisley
// 2013). So one driver (train.hpp) does coordinate ascent, stochastic and streaming VI, threads and machines
// for all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/finding.hpp"
#include "conjugate/data.hpp"

namespace kullback {
class Random;
}

namespace kullback::conjugate {

// Sums over units. `local` is what else the units add to the bound: the entropy of q(z) and whatever does not
// depend on q(theta), so that Model::elbo is right after each update of a block, not only after a local step.
struct Statistics {
  std::vector<double> values;
  double local = 0;
  double units = 0;  // sum of the weights
};

// A part of the bound: ("log likelihood", -1234.5), ("KL of weights", -3.2); they add up to it.
using Terms = std::vector<std::pair<std::string, double>>;
double total(const Terms& terms);

// How a block of natural parameters goes from where it is to `target`, the coordinate optimum: all of the way
// (CAVI), a part rho of it (SVI), or along Adam's direction. The target is always inside the family; `inside`
// says whether other points are (empty: all are).
class Mover {
 public:
  virtual ~Mover() = default;
  using Inside = std::function<bool(std::span<const double>)>;
  virtual void move(std::size_t block, std::span<double> natural, std::span<const double> target,
                    const Inside& inside = {}) = 0;
};

// The whole way.
class ExactMover final : public Mover {
 public:
  void move(std::size_t block, std::span<double> natural, std::span<const double> target,
            const Inside& inside = {}) override;
};

// A table of results: NAME.csv.
struct ResultTable {
  std::string name;
  std::vector<std::string> columns;
  std::vector<double> cells;                // row after row; NaN is written as an empty cell
  std::vector<std::string> row_names = {};  // a first column, headed `row_head`; may be empty
  std::string row_head = {};
  std::vector<std::string> notes = {};  // a last column of words, headed `note_head`; may be empty
  std::string note_head = {};
};

// Facts of a fitted model for summary.json and the printed summary, numbers only: ("components in use", 7).
using Figures = std::vector<std::pair<std::string, double>>;

class Model {
 public:
  virtual ~Model() = default;

  // ---- Sizes, fixed from `begin` on.
  virtual std::size_t statistics_size() const = 0;
  // Numbers kept for each unit between passes, from which its local step starts again; 0 where q(z_n) is
  // exact.
  virtual std::size_t local_size() const { return 0; }
  // Units that a thread takes at a time.
  virtual std::size_t chunk() const { return 512; }

  // ---- Fitting.
  // Priors that depend on the data and the first q(theta), from a sample of units (all where they are few).
  // `random` differs between starts.
  virtual void begin(const Batch& sample, Random& random) = 0;
  // Computes what local steps need of q(theta). Called after begin, after the last block of a
  // global step and after set_state; a block that sees earlier ones computes what it needs itself.
  virtual void prepare() = 0;
  // Adds to `statistics` what the units say given q(theta); changes nothing else: threads call it at the same
  // time. `local` is local_size() numbers per unit, zeros where nothing is known yet; empty: start afresh and
  // keep nothing.
  virtual void local_step(const Batch& units, std::span<double> local, Statistics& statistics) const = 0;
  // Where statistics do not depend on q(theta) one pass over the data is enough.
  virtual bool has_fixed_statistics() const { return false; }
  // q(theta) consists of this many blocks, updated in turn. Each update sees the blocks before it updated.
  virtual std::size_t blocks() const = 0;
  // Statistics are scaled to the whole data already.
  virtual void global_step(std::size_t block, const Statistics& statistics, Mover& mover) = 0;
  // Natural parameters of a block (prepare() after writing them), and the mean parameters, the gradient of
  // the log-partition: the natural gradient of the bound, target - natural, is its gradient in these.
  virtual std::span<double> natural(std::size_t block) = 0;
  virtual std::vector<double> mean_parameters(std::size_t block) const = 0;
  // The evidence lower bound at this q(theta) and the q(z) that gave the statistics.
  virtual Terms elbo(const Statistics& statistics) const = 0;
  // Moves that updates of blocks hardly find, because each step of the way gains next to nothing: two
  // components become one, a factor is shut. From statistics of the present q(theta), sets q(theta) to where
  // the move begins that seems best but `refused` others; false: there is none. The driver makes some passes,
  // and goes back to the state before where the bound did not rise.
  virtual bool propose(const Statistics& /*statistics*/, std::size_t /*refused*/) { return false; }
  // What q(theta) is now becomes the prior: the data seen so far count as known.
  virtual void adopt_posterior_as_prior() = 0;

  // A minibatch of about `size` of all `total` units, with weights such that its statistics are unbiased for
  // those of all data: what lies in `shard` (units shard.first .. of all) is appended to `into`. The choice
  // depends on `random` and `total` only, so that all machines make the same. The default takes different
  // units, each as likely as the others; a model of long sequences takes parts of them.
  virtual void sample_minibatch(const Batch& shard, std::uint64_t total, std::size_t size, Random& random,
                                Buffer& into) const;

  // ---- Keeping. All of the state: prior parameters, q(theta). Numbers in one vector; set_state(state()) on
  // a model made with the same settings and shape gives the same model to the last bit.
  virtual std::vector<double> state() const = 0;
  virtual void set_state(std::span<const double> state) = 0;

  // ---- Results.
  virtual std::vector<ResultTable> tables(const Shape& shape) const = 0;
  virtual Figures figures() const { return {}; }
  virtual Findings findings(const Statistics& statistics) const = 0;
  // One line per unit (rows of sequences: per row): name of the file ("responsibilities"), columns, and the
  // lines of a batch.
  virtual std::string unit_table() const = 0;
  virtual std::vector<std::string> unit_columns(const Shape& shape) const = 0;
  virtual void unit_lines(const Batch& units, std::vector<double>& cells) const = 0;
  // Sum over units of the log predictive density (what it is exactly, the model's page says), and what it is
  // divided by to compare data sets: rows, tokens.
  struct Score {
    double log_density = 0;
    double count = 0;
  };
  virtual Score score(const Batch& units) const = 0;
};

}  // namespace kullback::conjugate
