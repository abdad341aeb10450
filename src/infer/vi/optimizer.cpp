#include "infer/vi/optimizer.hpp"

#include "infer/vi/lookup.hpp"

namespace kullback::infer {

#define KULLBACK_OPTIMIZER(name) const OptimizerRecord& name##_optimizer();
#include "infer/vi/optimizers.def"
#undef KULLBACK_OPTIMIZER

std::span<const OptimizerRecord* const> optimizers() {
  static const std::vector<const OptimizerRecord*> all{
#define KULLBACK_OPTIMIZER(name) &name##_optimizer(),
#include "infer/vi/optimizers.def"
#undef KULLBACK_OPTIMIZER
  };
  return all;
}

const OptimizerRecord& find_optimizer(std::string_view name) {
  return find_record(optimizers(), name, "--optimizer");
}

}  // namespace kullback::infer
