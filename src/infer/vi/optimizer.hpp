// Optimisers: what is done with a noisy gradient. They climb.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "infer/archive.hpp"
#include "infer/options.hpp"

namespace kullback::infer {

// By parameter; empty: none is frozen. Of parameters that belong to rows of the data, those whose rows were
// not drawn are.
using FrozenParameters = std::span<const unsigned char>;
inline bool is_frozen(FrozenParameters frozen, std::size_t i) { return !frozen.empty() && frozen[i] != 0; }

class Optimizer {
 public:
  virtual ~Optimizer() = default;
  // One step up the gradient. `step_size` is read where the record says so. Parameters that are frozen stay
  // as they are, with all that is remembered of them.
  virtual void step(std::span<const double> gradient, double step_size, std::span<double> lambda,
                    FrozenParameters frozen) = 0;
  void step(std::span<const double> gradient, double step_size, std::span<double> lambda) {
    step(gradient, step_size, lambda, {});
  }
  // Forgets the gradients it has seen, as after a failed step.
  virtual void reset() = 0;
  virtual void archive(Archive& archive) = 0;
};

class Scheme;
struct SchemeSetting;

struct OptimizerRecord {
  std::string_view name;     // on the command line: "adam"
  std::string_view summary;  // one clause
  std::string_view citation;
  OptionTable options;        // that it reads
  bool has_step_size = true;  // false: it needs none
  double step_size = 0.1;     // the first of the automatic schedule
  bool chooses_rows = false;  // minibatches of its own
  std::unique_ptr<Optimizer> (*make)(const Options& options, std::size_t parameters) = nullptr;
  // Updates that are no steps along a gradient of lambda; instead of `make`.
  std::unique_ptr<Scheme> (*make_scheme)(const SchemeSetting& setting) = nullptr;
};

// In the order of infer/vi/optimizers.def.
std::span<const OptimizerRecord* const> optimizers();
// Throws Error usage that lists the names.
const OptimizerRecord& find_optimizer(std::string_view name);

}  // namespace kullback::infer
