#include "tape/repeat.hpp"

#include <array>
#include <cmath>
#include <vector>

namespace kullback::tape {

namespace {

// The arguments of element e.
void element(const Record& record, const RawInstruction& r, std::uint32_t e, double* x) {
  for (std::uint32_t j = 0; j < r.operand_count; ++j) {
    const RawOperand& operand = record.operands[r.first_operand + j];
    x[j] = record.value(record.pool[operand.first + (operand.size == 1 ? 0 : e)]);
  }
}

std::vector<std::vector<double>> dense_operands(const Record& record, const RawInstruction& r) {
  std::vector<std::vector<double>> dense;
  dense.reserve(r.operand_count);
  for (std::uint32_t j = 0; j < r.operand_count; ++j) {
    const RawOperand& operand = record.operands[r.first_operand + j];
    std::vector<double>& numbers = dense.emplace_back(operand.size);
    for (std::uint32_t i = 0; i < operand.size; ++i)
      numbers[i] = record.value(record.pool[operand.first + i]);
  }
  return dense;
}

void repeat_array(const Record& record, const RawInstruction& r) {
  const auto& f = *static_cast<const math::ArrayOp*>(r.definition);
  const std::vector<std::vector<double>> dense = dense_operands(record, r);
  std::vector<math::DenseArgument> arguments;
  for (std::uint32_t j = 0; j < r.operand_count; ++j) {
    arguments.push_back(
        {dense[j].data(), record.shapes[r.first_shape + j], (r.terms.varying >> j & 1U) != 0});
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
  const std::vector<std::vector<double>> dense = dense_operands(record, r);
  std::vector<double> scratch(f.scratch_size());
  f.forward({dense.front().data(), record.values + r.result, scratch.data()}, *f.make_state());
}

void repeat_transform(const Record& record, const RawInstruction& r) {
  const auto& f = *static_cast<const math::TransformDef*>(r.definition);
  const std::vector<std::vector<double>> dense = dense_operands(record, r);
  std::vector<math::DenseArgument> bounds;
  for (std::uint32_t j = 1; j < r.operand_count; ++j)
    bounds.push_back({dense[j].data(), {dense[j].size(), 1, 1}, false});
  math::TransformCall call;
  call.shape = record.shapes[r.first_shape];
  std::vector<double> scratch(math::scratch_size(f, call.shape));
  double* value = record.values + r.result;
  value[r.result_size - 1] = 0;
  call.bounds = bounds;
  call.free = dense.front().data();
  call.value = value;
  call.log_jacobian = value + r.result_size - 1;
  call.scratch = scratch.data();
  math::constrain(f, call);
}

}  // namespace

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
