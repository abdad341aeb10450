// The table of array ops: gathered once, at the first question, from the files named in array_ops.def and,
// for the densities, densities.def. Found by name, then by types among the few overloads of a name.
#include "math/array_op.hpp"

#include <algorithm>
#include <unordered_map>

#include "math/array_ops/densities.hpp"

namespace kullback::math {

#define ARRAY_OPS(file) void append_##file##_ops(std::vector<ArrayOp>& ops);
#include "math/array_ops/array_ops.def"
#undef ARRAY_OPS

namespace {

class Registry final {
 public:
  Registry() {
#define ARRAY_OPS(file) append_##file##_ops(ops_);
#include "math/array_ops/array_ops.def"
#undef ARRAY_OPS
    append_density_ops(ops_);
    for (const ArrayOp& op : ops_) {
      by_name_[op.name].push_back(&op);
    }
  }

  const ArrayOp* find(std::string_view name, std::span<const Type> types) const {
    const auto overloads = by_name_.find(name);
    if (overloads == by_name_.end()) {
      return nullptr;
    }
    for (const ArrayOp* op : overloads->second) {
      if (std::ranges::equal(op->parameter_types, types)) {
        return op;
      }
    }
    return nullptr;
  }

  const std::vector<ArrayOp>& ops() const { return ops_; }

 private:
  std::vector<ArrayOp> ops_;
  std::unordered_map<std::string_view, std::vector<const ArrayOp*>> by_name_;
};

const Registry& registry() {
  static const Registry instance;
  return instance;
}

}  // namespace

const ArrayOp* find_array_op(std::string_view name, std::span<const Type> argument_types) {
  return registry().find(name, argument_types);
}

std::vector<const ArrayOp*> all_array_ops() {
  std::vector<const ArrayOp*> result;
  for (const ArrayOp& op : registry().ops()) {
    result.push_back(&op);
  }
  return result;
}

}  // namespace kullback::math
