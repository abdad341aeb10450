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

class Optimizer {
 public:
  virtual ~Optimizer() = default;
  // One step up the gradient. `step_size` is read where the record says so.
  virtual void step(std::span<const double> gradient, double step_size, std::span<double> lambda) = 0;
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
  std::span<const std::string_view> options;  // names in infer/options.def that it reads
  bool has_step_size = true;                  // false: it needs none
  double step_size = 0.1;                     // the first of the automatic schedule
  std::unique_ptr<Optimizer> (*make)(const Options& options, std::size_t parameters) = nullptr;
  // Updates that are no steps along a gradient of lambda; instead of `make`.
  std::unique_ptr<Scheme> (*make_scheme)(const SchemeSetting& setting) = nullptr;
};

// In the order of infer/vi/optimizers.def.
std::span<const OptimizerRecord* const> optimizers();
// Throws Error usage that lists the names.
const OptimizerRecord& find_optimizer(std::string_view name);

}  // namespace kullback::infer
