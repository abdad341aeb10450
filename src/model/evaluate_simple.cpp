// Sizes and bounds without function calls, evaluated number by number; whatever runs whole programs does not
// use this.
#include <cmath>
#include <cstdint>
#include <limits>

#include "lang/print_program/expr_text.hpp"
#include "lang/visit.hpp"
#include "model/check_data.hpp"

namespace kullback::model {

namespace {

[[noreturn]] void refuse(const lang::Expr& expression, const std::string& why) {
  throw Error(ErrorKind::bad_input, lang::stan_text(expression) + " " + why);
}

DataValue number(double value, bool integer) {
  DataValue result;
  result.kind = integer ? DataKind::int_ : DataKind::real;
  result.numbers = {value};
  return result;
}

double apply(const lang::Expr& expression, lang::Op op, double left, double right, bool integer) {
  switch (op) {
    case lang::Op::plus: return left + right;
    case lang::Op::minus: return left - right;
    case lang::Op::times:
    case lang::Op::elt_times: return left * right;
    case lang::Op::divide:
    case lang::Op::elt_divide:
      if (integer && right == 0) refuse(expression, "divides by zero");
      return integer ? std::trunc(left / right) : left / right;
    case lang::Op::int_divide:
      if (right == 0) refuse(expression, "divides by zero");
      return std::trunc(left / right);
    case lang::Op::modulo:
      if (right == 0) refuse(expression, "divides by zero");
      return std::fmod(left, right);
    default: refuse(expression, "needs more than a simple evaluation");
  }
}

// Stan's ints have 32 bits.
double checked(const lang::Expr& expression, double result) {
  constexpr double kLeast = std::numeric_limits<std::int32_t>::min();
  constexpr double kMost = std::numeric_limits<std::int32_t>::max();
  if (result >= kLeast && result <= kMost) return result;
  refuse(expression, "is " + lang::number_text(result) + ", but an int holds " + lang::number_text(kLeast) +
                         " to " + lang::number_text(kMost) + " only");
}

DataValue evaluate_binary(const lang::Expr& expression, const lang::Binary& binary, const BoundData& so_far) {
  const DataValue left = evaluate_simple(*binary.left, so_far);
  const DataValue right = evaluate_simple(*binary.right, so_far);
  DataValue result = left.dims.empty() ? right : left;
  const bool integer = left.kind == DataKind::int_ && right.kind == DataKind::int_;
  result.kind = integer ? DataKind::int_ : DataKind::real;
  if (!left.dims.empty() && !right.dims.empty() && left.dims != right.dims) refuse(expression, "mixes sizes");
  for (std::size_t i = 0; i < result.numbers.size(); ++i) {
    const double a = left.numbers[left.dims.empty() ? 0 : i];
    const double b = right.numbers[right.dims.empty() ? 0 : i];
    const double number = apply(expression, binary.op, a, b, integer);
    result.numbers[i] = integer ? checked(expression, number) : number;
  }
  return result;
}

// One number of an array, vector or matrix, or an item of an array.
DataValue evaluate_index(const lang::Expr& expression, const lang::Indexed& indexed,
                         const BoundData& so_far) {
  const DataValue base = evaluate_simple(*indexed.base, so_far);
  const math::Type& type = *indexed.base->type;
  const bool matrix = type.kind == math::Kind::matrix;
  std::vector<std::size_t> at;
  for (const lang::Index& index : indexed.indices) {
    if (index.kind != lang::ast::Index::Kind::single)
      refuse(expression, "needs more than a simple evaluation");
    const double i = evaluate_simple(*index.low, so_far).numbers.at(0);
    const std::size_t size = base.dims.at(at.size());
    if (!(i >= 1 && i <= static_cast<double>(size))) {
      refuse(expression,
             "has the index " + lang::number_text(i) + ", but the size is " + std::to_string(size));
    }
    at.push_back(static_cast<std::size_t>(i) - 1);
  }
  if (base.kind == DataKind::tuple || base.kind == DataKind::complex ||
      (matrix && at.size() == static_cast<std::size_t>(type.array_rank) + 1)) {
    refuse(expression, "needs more than a simple evaluation");
  }
  DataValue result;
  result.kind = base.kind;
  result.dims.assign(base.dims.begin() + static_cast<std::ptrdiff_t>(at.size()), base.dims.end());
  const std::size_t count = element_count(result.dims);
  std::size_t offset = 0;
  if (matrix && at.size() == base.dims.size()) {  // column-major
    const std::size_t rows = base.dims[base.dims.size() - 2];
    const std::size_t cols = base.dims.back();
    for (std::size_t d = 0; d + 2 < at.size(); ++d) offset = offset * base.dims[d] + at[d];
    offset = offset * rows * cols + at.back() * rows + at[at.size() - 2];
  } else {
    for (std::size_t d = 0; d < at.size(); ++d) offset = offset * base.dims[d] + at[d];
    offset *= count;
  }
  const auto begin = base.numbers.begin() + static_cast<std::ptrdiff_t>(offset);
  result.numbers.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
  return result;
}

}  // namespace

DataValue evaluate_simple(const lang::Expr& expression, const BoundData& so_far) {
  if (const auto* constant = expression.as<lang::IntConstant>()) return number(constant->value, true);
  if (const auto* constant = expression.as<lang::RealConstant>()) return number(constant->value, false);
  if (const auto* promote = expression.as<lang::Promote>()) {
    DataValue value = evaluate_simple(*promote->from, so_far);
    if (value.kind == DataKind::int_) value.kind = DataKind::real;
    return value;
  }
  if (const auto* reference = expression.as<lang::VariableRef>()) {
    const DataValue* value = so_far.find(*reference->variable);
    if (value == nullptr) refuse(expression, "is not known here");
    return *value;
  }
  if (const auto* unary = expression.as<lang::Unary>()) {
    DataValue value = evaluate_simple(*unary->operand, so_far);
    if (unary->op != lang::Op::minus && unary->op != lang::Op::plus) {
      refuse(expression, "needs more than a simple evaluation");
    }
    if (unary->op == lang::Op::minus) {
      for (double& x : value.numbers) x = value.kind == DataKind::int_ ? checked(expression, -x) : -x;
    }
    return value;
  }
  if (const auto* binary = expression.as<lang::Binary>()) return evaluate_binary(expression, *binary, so_far);
  if (const auto* indexed = expression.as<lang::Indexed>())
    return evaluate_index(expression, *indexed, so_far);
  if (const auto* get = expression.as<lang::TupleGet>()) {
    DataValue base = evaluate_simple(*get->base, so_far);
    return std::move(base.slots.at(static_cast<std::size_t>(get->slot) - 1));
  }
  refuse(expression, "needs more than a simple evaluation");
}

}  // namespace kullback::model
