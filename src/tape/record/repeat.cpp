#include "tape/record/repeat.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace kullback::tape {

namespace {

// The arguments of element e.
void element(const Record& record, const RawInstruction& r, std::uint32_t e, double* x) {
  for (std::uint32_t j = 0; j < r.operand_count; ++j) {
    const RawOperand& operand = record.operands[r.first_operand + j];
    x[j] = record.value(record.ids_of(operand)[operand.size == 1 ? 0 : e]);
  }
}

struct DenseOperands {
  std::vector<std::vector<double>> copies;
  std::vector<const double*> numbers;
};

DenseOperands dense_operands(const Record& record, const RawInstruction& r) {
  DenseOperands dense;
  dense.copies.resize(r.operand_count);
  for (std::uint32_t j = 0; j < r.operand_count; ++j) {
    const RawOperand& operand = record.operands[r.first_operand + j];
    dense.numbers.push_back(record.numbers(record.ids_of(operand), dense.copies[j]));
  }
  return dense;
}

void repeat_array(const Record& record, const RawInstruction& r) {
  const auto& f = *static_cast<const math::ArrayOp*>(r.definition);
  const DenseOperands dense = dense_operands(record, r);
  std::vector<math::DenseArgument> arguments;
  for (std::uint32_t j = 0; j < r.operand_count; ++j) {
    const std::span<const Id> ids = record.ids_of(record.operands[r.first_operand + j]);
    const bool is_fixed = std::all_of(ids.begin(), ids.end(), is_constant);
    arguments.push_back({dense.numbers[j], record.shapes[r.first_shape + j], !is_fixed});
  }
  std::vector<double> scratch(f.scratch_size != nullptr ? f.scratch_size(arguments) : 0);
  math::ArrayCall call;
  call.arguments = arguments;
  call.terms = r.terms;
  call.result = record.values + r.result;
  call.scratch = scratch.data();
  f.forward(call);
}

void repeat_solver(const Record& record, const RawInstruction& r) {
  const auto& f = *static_cast<const DenseFunction*>(r.definition);
  const DenseOperands dense = dense_operands(record, r);
  std::vector<double> scratch(f.scratch_size());
  f.forward({dense.numbers.front(), record.values + r.result, scratch.data()}, *f.make_state());
}

void repeat_transform(const Record& record, const RawInstruction& r) {
  const auto& f = *static_cast<const math::TransformDef*>(r.definition);
  const DenseOperands dense = dense_operands(record, r);
  std::vector<math::DenseArgument> bounds;
  for (std::uint32_t j = 1; j < r.operand_count; ++j)
    bounds.push_back({dense.numbers[j], {record.operands[r.first_operand + j].size, 1, 1}, false});
  math::TransformCall call;
  call.shape = record.shapes[r.first_shape];
  std::vector<double> scratch(math::scratch_size(f, call.shape));
  double* value = record.values + r.result;
  value[r.result_size - 1] = 0;
  call.bounds = bounds;
  call.free = dense.numbers.front();
  call.value = value;
  call.log_jacobian = value + r.result_size - 1;
  call.scratch = scratch.data();
  math::constrain(f, call);
}

}  // namespace

const double* Record::numbers(std::span<const Id> ids, std::vector<double>& copy) const {
  if (!ids.empty() && is_constant(ids.front()) && is_run(ids)) {
    const double* shared = constants.shared(ids.front() & ~kConstantBit, ids.size());
    if (shared != nullptr) return shared;
  }
  copy.resize(ids.size());
  std::transform(ids.begin(), ids.end(), copy.begin(), [this](Id id) { return value(id); });
  return copy.data();
}

bool repeat(const Record& record, const RawInstruction& r) {
  switch (r.kind) {
    case OpKind::elementwise: {
      const auto& f = *static_cast<const math::Elementwise*>(r.definition);
      std::array<double, 4> x{};
      for (std::uint32_t e = 0; e < r.count; ++e) {
        element(record, r, e, x.data());
        record.values[r.result + e] = f.value(x.data());
      }
      return true;
    }
    case OpKind::density: {
      const auto& f = *static_cast<const math::Density*>(r.definition);
      std::array<double, 16> x{};
      double sum = 0;
      for (std::uint32_t e = 0; e < r.count; ++e) {
        element(record, r, e, x.data());
        sum += f.value(x.data(), r.terms, nullptr);
      }
      record.values[r.result] = sum;
      return !std::isnan(sum);
    }
    case OpKind::array: repeat_array(record, r); return true;
    case OpKind::transform: repeat_transform(record, r); return true;
    case OpKind::solver: repeat_solver(record, r); return true;
    default: return false;  // on tapes only
  }
}

}  // namespace kullback::tape
