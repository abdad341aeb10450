#include "tape/record/operation_name.hpp"

namespace kullback::tape {

namespace {

std::string density_name(const void* definition) {
  for (const math::Distribution* d : math::all_distributions()) {
    const std::string family(d->name);
    if (definition == &d->log_density) return family + (d->discrete ? "_lpmf" : "_lpdf");
    if (definition == &d->log_cdf) return family + "_lcdf";
    if (definition == &d->log_ccdf) return family + "_lccdf";
  }
  return "density";
}

}  // namespace

std::string operation_name(OpKind kind, const void* definition) {
  switch (kind) {
    case OpKind::elementwise: return std::string(static_cast<const math::Elementwise*>(definition)->name);
    case OpKind::density:
    case OpKind::each_density: return density_name(definition);
    case OpKind::log_sum_exp:
    case OpKind::array: return std::string(static_cast<const math::ArrayOp*>(definition)->name);
    case OpKind::transform: return std::string(static_cast<const math::TransformDef*>(definition)->name);
    case OpKind::solver: return "solver";
    case OpKind::packed: return "packed";
  }
  return "operation";
}

}  // namespace kullback::tape
