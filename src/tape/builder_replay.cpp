// A recorded trace repeated at other parameters, operation by operation in the order of the program.
#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "tape/builder.hpp"

namespace kullback::tape {

namespace {

bool holds(Guard::Relation relation, double a, double b) {
  switch (relation) {
    case Guard::Relation::less: return a < b;
    case Guard::Relation::less_equal: return a <= b;
    case Guard::Relation::equal: return a == b;
  }
  return false;
}

}  // namespace

bool Builder::replay(const double* theta) {
  std::copy_n(theta, parameter_count_, values_.begin());
  try {
    for (const RawInstruction& r : instructions_) {
      if (!repeat(r)) return false;
    }
  } catch (const std::logic_error&) {  // a function refuses its arguments
    return false;
  }
  return std::all_of(guards_.begin(), guards_.end(), [this](const Guard& g) {
    return holds(g.relation, value(g.left), value(g.right)) == g.outcome;
  });
}

bool Builder::repeat(const RawInstruction& r) {
  switch (r.kind) {
    case OpKind::elementwise: {
      const auto& f = *static_cast<const math::Elementwise*>(r.definition);
      std::array<double, 4> x{};
      for (std::uint32_t e = 0; e < r.count; ++e) {
        element(r, e, x.data());
        values_[r.result + e] = f.value(x.data());
      }
      return true;
    }
    case OpKind::density: {
      const auto& f = *static_cast<const math::Density*>(r.definition);
      std::array<double, 16> x{};
      double sum = 0;
      for (std::uint32_t e = 0; e < r.count; ++e) {
        element(r, e, x.data());
        sum += f.value(x.data(), r.terms, nullptr);
      }
      values_[r.result] = sum;
      return !std::isnan(sum);  // perhaps an argument outside its domain: the program would reject
    }
    case OpKind::array: repeat_array(r); return true;
    case OpKind::transform: repeat_transform(r); return true;
    case OpKind::solver: repeat_solver(r); return true;
    default: return false;  // on tapes only
  }
}

// The arguments of element e.
void Builder::element(const RawInstruction& r, std::uint32_t e, double* x) const {
  for (std::uint32_t j = 0; j < r.operand_count; ++j) {
    const RawOperand& operand = operands_[r.first_operand + j];
    x[j] = value(ids_of(operand)[operand.size == 1 ? 0 : e]);
  }
}

Builder::DenseOperands Builder::dense_operands(const RawInstruction& r) const {
  DenseOperands dense;
  dense.copies.resize(r.operand_count);
  for (std::uint32_t j = 0; j < r.operand_count; ++j) {
    const RawOperand& operand = operands_[r.first_operand + j];
    dense.numbers.push_back(numbers(ids_of(operand), dense.copies[j]));
  }
  return dense;
}

void Builder::repeat_array(const RawInstruction& r) {
  const auto& f = *static_cast<const math::ArrayOp*>(r.definition);
  const DenseOperands dense = dense_operands(r);
  std::vector<math::DenseArgument> arguments;
  for (std::uint32_t j = 0; j < r.operand_count; ++j)
    arguments.push_back({dense.numbers[j], shapes_[r.first_shape + j], (r.terms.varying >> j & 1U) != 0});
  std::vector<double> scratch(f.scratch_size != nullptr ? f.scratch_size(arguments) : 0);
  math::ArrayCall call;
  call.arguments = arguments;
  call.terms = r.terms;
  call.result = values_.data() + r.result;
  call.scratch = scratch.data();
  f.forward(call);
}

void Builder::repeat_solver(const RawInstruction& r) {
  const auto& f = *static_cast<const DenseFunction*>(r.definition);
  const DenseOperands dense = dense_operands(r);
  std::vector<double> scratch(f.scratch_size());
  f.forward({dense.numbers.front(), values_.data() + r.result, scratch.data()}, *f.make_state());
}

void Builder::repeat_transform(const RawInstruction& r) {
  const auto& f = *static_cast<const math::TransformDef*>(r.definition);
  const DenseOperands dense = dense_operands(r);
  std::vector<math::DenseArgument> bounds;
  for (std::uint32_t j = 1; j < r.operand_count; ++j)
    bounds.push_back({dense.numbers[j], {operands_[r.first_operand + j].size, 1, 1}, false});
  math::TransformCall call;
  call.shape = shapes_[r.first_shape];
  std::vector<double> scratch(math::scratch_size(f, call.shape));
  double* value = values_.data() + r.result;
  value[r.result_size - 1] = 0;
  call.bounds = bounds;
  call.free = dense.numbers.front();
  call.value = value;
  call.log_jacobian = value + r.result_size - 1;
  call.scratch = scratch.data();
  math::constrain(f, call);
}

}  // namespace kullback::tape
