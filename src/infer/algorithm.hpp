// The one contract of all methods: a resumable procedure that ends in draws, made by its record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/finding.hpp"
#include "density/log_density.hpp"
#include "infer/archive.hpp"
#include "infer/draws.hpp"
#include "infer/options.hpp"

namespace kullback::infer {

// What the random numbers of a run are for. Streams are Random(seed, chain, purpose, index), with the
// iteration as index: then a checkpoint holds no state of a generator, and draws do not depend on threads.
enum class Purpose : std::uint32_t {
  transformed_data = 1,  // as model/prepared.cpp has it
  start,
  transition,
  generated_quantities,
  swap,
  resample,
  approximation,
  gradient_noise,
  boosting,
  minibatch,
  family_start,
  quadrature,
  particles,
  conditional_choice,
  certificate,
  sg_start,
  sg_probe,
  path_elbo,
  equal_weights,  // as posterior/equal_weights.cpp has it
};

struct Start {
  std::vector<double> theta;  // a point with a finite density
  std::uint64_t seed = 0;
  std::uint32_t chain = 0;  // from 0; of a method without chains: 0
};

struct Progress {
  std::uint64_t done = 0;   // steps
  std::uint64_t total = 0;  // 0: not known
  bool is_warming_up = false;
  std::uint64_t gradients = 0;    // evaluations of log density and gradient so far
  std::uint64_t divergences = 0;  // after warm-up
  // What one follows: the log density where a chain or a search is, the bound of an approximation. NaN: none.
  double value = std::numeric_limits<double>::quiet_NaN();
};

// What adaptation ended with.
struct Adaptation {
  double step_size = 0;
  Metric metric = Metric::unit;
  std::vector<double> inv_metric;  // empty, dim, or dim * dim numbers
};

// Where an approximation is centred.
struct Mode {
  std::vector<double> theta;
  double log_density = 0;
};

// Facts of a run in words, for its record: ("family", "meanfield").
using Facts = std::vector<std::pair<std::string, std::string>>;

// How a run went, row after row: DIR/trace.csv.
struct Trace {
  std::vector<std::string> columns;
  std::vector<double> values;  // row after row
};

// `init` is the maker of the record; a made algorithm is ready for its first step.
class Algorithm {
 public:
  virtual ~Algorithm() = default;

  // One unit of work that takes well under a second where the density allows: an iteration of a chain, an
  // iteration of an optimiser, a temperature. Appends the draws that came out of it, which may be none.
  // False where the algorithm has finished: nothing was done.
  virtual bool step(Draws& draws) = 0;
  virtual Progress progress() const = 0;
  // Everything that step() depends on beside density, options and start: an algorithm made with the same
  // three, and given the archive of this one, goes on to the same bits.
  virtual void archive(Archive& archive) = 0;

  virtual std::optional<Adaptation> adaptation() const { return std::nullopt; }
  virtual std::optional<Mode> mode() const { return std::nullopt; }
  // What only the algorithm knows: an unbounded density, a path that failed. Complete once it has finished.
  virtual Findings findings() const { return {}; }
  virtual Facts facts() const { return {}; }
  virtual Trace trace() const { return {}; }
};

struct MethodNeeds {
  bool gradient = true;
  bool rows = false;      // minibatches
  bool supports = false;  // constrained coordinates
};

// An option of other methods that one might ask of this one, and why it has none: the hint of the refusal.
struct Refusal {
  std::string_view option;
  std::string_view why;
};

// The record of a method: all that help, `kullback methods` and the fit know of it.
struct Method {
  std::string_view name;
  std::string_view summary;   // what it does, one clause
  std::string_view use_when;  // one sentence
  std::string_view citation;
  bool has_chains = true;  // independent chains, each an Algorithm; else one Algorithm is the run
  bool is_exact = true;    // its draws converge to the posterior
  bool has_log_q = false;  // its draws are independent, with the density they were drawn from
  MethodNeeds needs = {};
  OptionTable options;                      // that it reads
  std::span<const std::string_view> stats;  // columns of Draws::stats: "accept_stat__", ...
  // Throws Error usage for options without sense. The density must outlive the algorithm.
  std::unique_ptr<Algorithm> (*make)(density::LogDensity& density, const Options& options, Start start);
  std::span<const Refusal> refusals = {};
  std::string_view value_name = "lp__";  // what Progress::value is
};

// In the order of infer/methods.def.
std::span<const Method* const> methods();
// Null where there is none.
const Method* find_method(std::string_view name);

}  // namespace kullback::infer
