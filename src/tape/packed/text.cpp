// Packed operations for people.
#include "tape/packed/packed.hpp"
#include "tape/record/operation_name.hpp"

namespace kullback::tape {

namespace {

// Where the pool holds an operation's slots, how many there are.
std::size_t pool_size(const MicroOp& op) {
  switch (op.code) {
    case MicroCode::add_many:
    case MicroCode::subtract_many:
    case MicroCode::multiply_many:
    case MicroCode::fma_many: {
      std::size_t size = 0;
      for (unsigned j = 0; j < (op.code == MicroCode::fma_many ? 3U : 2U); ++j)
        size += (op.b >> j & 1U) != 0 ? 1 : op.n;
      return size;
    }
    case MicroCode::recurrence_shared: return 2 + std::size_t{op.b};
    case MicroCode::recurrence: return 1 + 2 * std::size_t{op.b};
    case MicroCode::normal_weighted: return 1 + 3 * std::size_t{op.n};
    case MicroCode::normal_shared: return 2 + 2 * std::size_t{op.n};
    case MicroCode::dot_product: return 2 * std::size_t{op.n};
    default: return op.n;
  }
}

constexpr const char* kNames[] = {
    "add",         "subtract",   "multiply",   "divide",
    "minus",       "square",     "sqrt",       "inv",
    "exp",         "log",        "log1p",      "log1m",
    "inv_logit",   "log1p_exp",  "tanh",       "standard_logistic",
    "log_sum_exp", "fma",        "sum",        "log_sum_exp",
    "dot_product", "add",        "subtract",   "multiply",
    "fma",         "recurrence", "recurrence", "normal_lpdf",
    "normal_lpdf",
};
static_assert(std::size(kNames) == static_cast<std::size_t>(MicroCode::elementwise));

}  // namespace

MicroReads reads_of(const Packed& packed, const MicroOp& op) {
  MicroReads reads;
  if (op.code < MicroCode::fma) {
    reads.slots.push_back(op.a);
    const bool two = op.code <= MicroCode::divide || op.code == MicroCode::log_sum_exp_2;
    if (two) reads.slots.push_back(op.b);
    return reads;
  }
  const auto first = packed.pool.begin() + op.a;
  reads.slots.assign(first, first + static_cast<long>(pool_size(op)));
  if (op.code >= MicroCode::add_many && op.code <= MicroCode::fma_many) reads.results = op.n;
  if (op.code == MicroCode::recurrence || op.code == MicroCode::recurrence_shared) reads.results = op.b;
  return reads;
}

std::string micro_name(const Packed& packed, const MicroOp& op) {
  if (op.code == MicroCode::elementwise) return std::string(packed.functions[op.b]->name);
  if (op.code == MicroCode::density) return operation_name(OpKind::density, packed.densities[op.b].density);
  return kNames[static_cast<std::size_t>(op.code)];
}

}  // namespace kullback::tape
