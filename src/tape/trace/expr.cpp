// Expressions: constants fold, what depends on parameters goes on the tape.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <stdexcept>

#include "math/array_op.hpp"
#include "math/elementwise.hpp"
#include "tape/calls/complex.hpp"
#include "tape/trace/real_operands.hpp"
#include "tape/trace/tracer.hpp"

namespace kullback::tape {

using lang::Expr;
using lang::Op;
using math::Kind;
using math::Type;

namespace {

std::string_view elementwise_name(Op op) {
  switch (op) {
    case Op::plus: return "add";
    case Op::minus: return "subtract";
    case Op::times:
    case Op::elt_times: return "multiply";
    case Op::divide:
    case Op::elt_divide: return "divide";
    case Op::pow:
    case Op::elt_pow: return "pow";
    default: return {};
  }
}

bool is_linear_kind(const Value& value) { return !value.dims.empty() && value.type.array_rank == 0; }

}  // namespace

Ids Tracer::reals(const Value& value) {
  if (value.ids) return *value.ids;
  Ids ids;
  ids.reserve(value.ints->size());
  for (const int i : *value.ints) ids.push_back(builder_.constant(i));
  if (value.tags) ids = builder_.tagged(ids, *value.tags);
  return ids;
}

int Tracer::eval_int(const Expr& expr, RowTag* tag) {
  if (quick(expr).quick && expr.type->is_int()) return quick_int(expr);
  const Value value = eval_general(expr);
  if (tag != nullptr) *tag = join(*tag, int_tag(value, 0));
  return (*value.ints)[0];
}

Value Tracer::eval(const Expr& expr) {
  if (expr.as<lang::VariableRef>() != nullptr || !quick(expr).quick) return eval_general(expr);
  return expr.type->is_int() ? int_value(quick_int(expr)) : real_value(quick_real(expr));
}

Value Tracer::eval_general(const Expr& expr) {
  if (const auto* n = expr.as<lang::IntConstant>()) return int_value(n->value);
  if (const auto* n = expr.as<lang::RealConstant>()) return real_value(builder_.constant(n->value));
  if (const auto* n = expr.as<lang::VariableRef>()) {
    return read(variable_value(*n->variable), expr);
  }
  if (const auto* n = expr.as<lang::Promote>()) {
    const Value value = eval(*n->from);
    check_set(value, *n->from);
    return promote(value, *expr.type);
  }
  if (const auto* n = expr.as<lang::Unary>()) return eval_unary(expr, *n);
  if (expr.as<lang::Binary>() != nullptr) return eval_binary(expr);
  if (const auto* n = expr.as<lang::Ternary>()) {
    RowTag tag;
    const Expr& chosen = eval_int(*n->condition, &tag) != 0 ? *n->yes : *n->no;
    if (tag.none()) return eval(chosen);
    const RowTag outer = builder_.control();
    builder_.set_control(join(outer, tag));
    Value value = eval(chosen);
    builder_.set_control(outer);
    return tagged(std::move(value), tag);
  }
  if (const auto* n = expr.as<lang::Call>()) return call(expr, *n);
  if (const auto* n = expr.as<lang::ArrayLiteral>()) return eval_literal(expr, n->elements);
  if (const auto* n = expr.as<lang::RowVectorLiteral>()) return eval_literal(expr, n->elements);
  if (const auto* n = expr.as<lang::TupleLiteral>()) {
    Value tuple;
    tuple.type = *expr.type;
    for (const Expr* element : n->elements) change_parts(tuple).push_back(eval(*element));
    return tuple;
  }
  if (const auto* n = expr.as<lang::Indexed>()) {
    const auto* variable = n->base->as<lang::VariableRef>();
    const Value computed = variable == nullptr ? eval(*n->base) : Value{};
    const Value& base = variable == nullptr ? computed : variable_value(*variable->variable);
    std::vector<Selection> selections;
    for (const lang::Index& index : n->indices)
      selections.push_back(selection(index, base, selections.size(), *n->base));
    const Selected selected = select(base, selections);
    Value taken = take(base, selected);
    if (taken.dims.empty()) check_set(taken, expr);  // arrays may be copied with gaps
    return taken.ints || selected.tags.empty() ? taken : tagged(std::move(taken), selected.tags);
  }
  if (const auto* n = expr.as<lang::TupleGet>())
    return (*eval(*n->base).parts)[static_cast<std::size_t>(n->slot - 1)];
  if (expr.as<lang::Target>() != nullptr) {
    Id sum = builder_.constant(0);
    const math::Elementwise& add = *math::find_elementwise("add");
    const Ids terms = builder_.target();
    for (const Id id : terms) sum = builder_.elementwise(add, std::array<Id, 2>{sum, id});
    return real_value(sum);
  }
  if (const auto* n = expr.as<lang::ImagConstant>()) return imaginary(*this, n->value);
  cannot_run(expr, "this expression is not supported by this version's engine.");
}

const Value& Tracer::read(const Value& value, const Expr& from) const {
  if (value.dims.empty()) check_set(value, from);  // of an array each number when it is taken
  return value;
}

Selection Tracer::selection(const lang::Index& index, const Value& value, std::size_t d, const Expr& base) {
  const auto size = static_cast<int>(value.dims.at(d));
  const auto check = [&](int i) {
    if (i < 1 || i > size) {
      const std::string dimension = value.dims.size() > 1 ? fmt::format(" of dimension {}", d + 1) : "";
      refuse_always(fmt::format("{}: index {}{} is outside 1 to {}.", name_of(base), i, dimension, size),
                    "Correct the index in the program, or the data that it comes from.");
    }
    return static_cast<std::size_t>(i - 1);
  };
  using IndexKind = lang::ast::Index::Kind;
  Selection selection;
  int low = 1;
  int high = size;
  RowTag tag;
  switch (index.kind) {
    case IndexKind::single: {
      const Value at = eval(*index.low);
      check_set(at, *index.low);
      selection.single = at.type.array_rank == 0;
      for (const int i : *at.ints) selection.at.push_back(check(i));
      if (at.tags) selection.tags = *at.tags;
      return selection;
    }
    case IndexKind::from: low = eval_int(*index.low, &tag); break;
    case IndexKind::to: high = eval_int(*index.high, &tag); break;
    case IndexKind::between:
      low = eval_int(*index.low, &tag);
      high = eval_int(*index.high, &tag);
      break;
    case IndexKind::all: break;
  }
  for (std::int64_t i = low; i <= high; ++i) selection.at.push_back(check(static_cast<int>(i)));
  if (!tag.none()) {
    selection.tags.assign(selection.at.size(), tag);
    sizes_are_tagged_ = true;
  }
  return selection;
}

Value Tracer::promote(const Value& value, const Type& type) {
  if (value.type == type) return value;
  if (value.parts) {
    Value out = value;
    out.type = type;
    std::vector<Value>& parts = change_parts(out);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      Type part = type;
      if (type.array_rank > 0) {
        part.array_rank = 0;
      } else {
        part = (*type.elements)[i];
      }
      parts[i] = promote(parts[i], part);
    }
    return out;
  }
  Ids ids = reals(value);
  if (type.is_complex() && !value.type.is_complex()) {
    Ids pairs;
    const Id zero = builder_.constant(0);
    for (const Id id : ids) pairs.insert(pairs.end(), {id, zero});
    ids = std::move(pairs);
  }
  return real_container(type, value.dims, std::move(ids));
}

Value Tracer::apply(const math::Elementwise& f, std::span<const Value> arguments, const Type& result) {
  Dims dims;
  std::size_t count = 1;
  for (const Value& argument : arguments) {
    if (argument.dims.empty()) continue;
    if (!dims.empty() && dims != argument.dims)
      refuse_always(
          fmt::format("{}: its arguments have {} and {}.", f.name, dims_text(dims), dims_text(argument.dims)),
          "Give them the same size; a single number goes with any.");
    dims = argument.dims;
    count = argument.size();
  }
  // A container of one number looks like a scalar; then every operand has one.
  return real_container(result, dims, builder_.elementwise(f, RealOperands(*this, arguments).list(), count));
}

namespace {

math::Shape dense_shape(const Value& value) {
  math::Shape shape;
  const std::size_t arrays = value.array_rank();
  for (std::size_t d = 0; d < arrays; ++d) shape.count *= value.dims[d];
  const std::size_t inner = value.dims.size() - arrays;
  if (inner == 2) {
    shape.rows = value.dims[arrays];
    shape.cols = value.dims[arrays + 1];
  } else if (inner == 1) {
    (value.type.kind == Kind::row_vector ? shape.cols : shape.rows) = value.dims[arrays];
  }
  return shape;
}

Dims dims_of(const math::Shape& shape, const Type& type) {
  Dims dims;
  if (type.array_rank > 0) dims.push_back(shape.count);
  if (type.kind == Kind::vector) dims.push_back(shape.rows);
  if (type.kind == Kind::row_vector) dims.push_back(shape.cols);
  if (type.kind == Kind::matrix) {
    dims.push_back(shape.rows);
    dims.push_back(shape.cols);
  }
  return dims;
}

}  // namespace

Value Tracer::apply(const math::ArrayOp& f, std::span<const Value> arguments, const Type& result,
                    math::Terms terms) {
  std::vector<math::Shape> shapes;
  for (const Value& argument : arguments) shapes.push_back(dense_shape(argument));
  math::Shape shape;
  try {
    Ids ids = builder_.array_op(f, terms, RealOperands(*this, arguments).list(), shapes, &shape);
    return real_container(result, dims_of(shape, result), std::move(ids));
  } catch (const std::invalid_argument& e) {  // sizes
    refuse_always(e.what(), "Correct the program, or the data that the sizes come from.");
  } catch (const std::logic_error& e) {
    refuse(e.what());
  }
}

// ---- operators ----

Value Tracer::eval_unary(const Expr& expr, const lang::Unary& node) {
  const Value operand = eval(*node.operand);
  if (node.op == Op::plus) return operand;
  if (node.op == Op::transpose) return transposed(operand, *expr.type);
  if (node.op == Op::not_) {
    const bool zero = operand.ints
                          ? (*operand.ints)[0] == 0
                          : builder_.compare(Guard::Relation::equal, (*operand.ids)[0], builder_.constant(0));
    return int_result(zero ? 1 : 0, tag_of(operand));
  }
  if (operand.ints) {
    Value out = operand;
    for (int& i : change_ints(out)) i = negated(i);
    return out;
  }
  Value result;
  if (operand.type.is_complex() && call_complex(*this, "minus", {&operand, 1}, *expr.type, result))
    return of_one_row("minus", {&operand, 1}, std::move(result));
  return apply(*math::find_elementwise("minus"), {&operand, 1}, *expr.type);
}

Value Tracer::transposed(const Value& value, const Type& type) {
  if (value.type.is_complex()) return complex_transposed(value, type);
  if (value.type.kind != Kind::matrix) return real_container(type, value.dims, *value.ids);
  const std::size_t rows = value.dims[0];
  const std::size_t cols = value.dims[1];
  Ids ids(value.ids->size());
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < cols; ++c) ids[r * cols + c] = (*value.ids)[c * rows + r];
  }
  return real_container(type, {cols, rows}, std::move(ids));
}

// Long sums lean to the left: walked in a loop.
Value Tracer::eval_binary(const Expr& expr) {
  std::vector<const Expr*> spine;
  const Expr* leftmost = &expr;
  while (const auto* n = leftmost->as<lang::Binary>()) {
    spine.push_back(leftmost);
    leftmost = n->left;
  }
  Value left = eval(*leftmost);
  for (auto at = spine.rbegin(); at != spine.rend(); ++at) {
    const auto& n = *(*at)->as<lang::Binary>();
    if (n.op == Op::and_ || n.op == Op::or_) {
      const bool is_true =
          left.ints ? (*left.ints)[0] != 0
                    : !builder_.compare(Guard::Relation::equal, (*left.ids)[0], builder_.constant(0));
      if (is_true == (n.op == Op::or_)) {
        left = int_result(is_true ? 1 : 0, tag_of(left));
        continue;
      }
      const Value right = eval(*n.right);
      const bool second =
          right.ints ? (*right.ints)[0] != 0
                     : !builder_.compare(Guard::Relation::equal, (*right.ids)[0], builder_.constant(0));
      left = int_result(second ? 1 : 0, join(tag_of(left), tag_of(right)));
      continue;
    }
    left = combine(**at, n.op, left, eval(*n.right));
  }
  return left;
}

Value Tracer::combine(const Expr& expr, Op op, const Value& left, const Value& right) {
  if (lang::is_comparison(op)) return compare(op, left, right);
  const std::array<Value, 2> both{left, right};
  if (left.type.is_complex() || right.type.is_complex())
    return of_one_row(lang::to_string(op), both, complex_binary(*this, op, left, right, *expr.type));
  if (expr.type->is_int()) return combine_ints(op, left, right);
  const bool linear = is_linear_kind(left) && is_linear_kind(right);
  std::string_view name;
  if (op == Op::times && linear) name = "multiply";
  if (op == Op::divide && is_linear_kind(right)) name = "mdivide_right";
  if (op == Op::left_divide) name = "mdivide_left";
  if (name == "mdivide_right" && left.dims.empty()) name = {};  // scalar / container is elementwise
  if (!name.empty()) {
    const std::array<Type, 2> types{left.type, right.type};
    const math::ArrayOp* f = math::find_array_op(name, types);
    if (f == nullptr) cannot_run(expr, fmt::format("'{}' is not supported by this version's engine.", name));
    return apply(*f, both, *expr.type);
  }
  return apply(*math::find_elementwise(elementwise_name(op)), both, *expr.type);
}

Value Tracer::combine_ints(Op op, const Value& left, const Value& right) {
  return int_result(int_operation(op, (*left.ints)[0], (*right.ints)[0]),
                    join(int_tag(left, 0), int_tag(right, 0)));
}

Value Tracer::compare(Op op, const Value& left, const Value& right) {
  if (left.type.is_complex() || right.type.is_complex())
    return int_result(complex_equal(*this, left, right) == (op == Op::equal) ? 1 : 0,
                      join(tag_of(left), tag_of(right)));
  if (left.ints && right.ints) {
    const int a = (*left.ints)[0];
    const int b = (*right.ints)[0];
    const bool outcome = op == Op::equal        ? a == b
                         : op == Op::not_equal  ? a != b
                         : op == Op::less       ? a < b
                         : op == Op::less_equal ? a <= b
                         : op == Op::greater    ? a > b
                                                : a >= b;
    return int_result(outcome ? 1 : 0, join(int_tag(left, 0), int_tag(right, 0)));
  }
  const bool outcome = compare_numbers(op, reals(left)[0], reals(right)[0]);
  return int_result(outcome ? 1 : 0, join(tag_of(left), tag_of(right)));
}

bool Tracer::compare_numbers(Op op, Id a, Id b) {
  using Relation = Guard::Relation;
  switch (op) {
    case Op::equal: return builder_.compare(Relation::equal, a, b);
    case Op::not_equal: return !builder_.compare(Relation::equal, a, b);
    case Op::less: return builder_.compare(Relation::less, a, b);
    case Op::less_equal: return builder_.compare(Relation::less_equal, a, b);
    case Op::greater: return builder_.compare(Relation::less, b, a);
    default: return builder_.compare(Relation::less_equal, b, a);
  }
}

// {a, b}: an array. [a, b]: a row vector of scalars, or a matrix of row vectors.
Value Tracer::eval_literal(const Expr& expr, lang::List<const Expr*> elements) {
  Value out;
  out.type = *expr.type;
  std::vector<Value> values;
  for (const Expr* element : elements) {
    values.push_back(eval(*element));
    check_set(values.back(), *element);
  }
  const bool matrix =
      out.type.array_rank == 0 && (out.type.kind == Kind::matrix || out.type.kind == Kind::complex_matrix);
  out.dims = {values.size()};
  if (!values.empty())
    out.dims.insert(out.dims.end(), values.front().dims.begin(), values.front().dims.end());
  if (matrix && out.dims.size() == 1) out.dims.push_back(0);
  for (const Value& value : values) {
    if (value.dims != values.front().dims) refuse("the elements of a literal have different sizes.");
  }
  if (out.type.kind == Kind::tuple) {
    std::vector<Value>& parts = change_parts(out);
    for (const Value& value : values) {
      if (value.type.array_rank > 0) {
        parts.insert(parts.end(), value.parts->begin(), value.parts->end());
      } else {
        parts.push_back(value);
      }
    }
  } else if (out.type.is_int()) {
    std::vector<int>& ints = change_ints(out);
    for (const Value& value : values) {
      ints.insert(ints.end(), value.ints->begin(), value.ints->end());
      if (!value.tags) continue;
      std::vector<RowTag>& tags = change_tags(out);
      std::copy(value.tags->begin(), value.tags->end(), tags.end() - static_cast<long>(value.tags->size()));
    }
    if (out.tags) change_tags(out);
  } else {
    Ids& ids = change_ids(out);
    for (const Value& value : values) {
      const Ids own = reals(value);
      ids.insert(ids.end(), own.begin(), own.end());
    }
    if (matrix) {  // rows were written one after another; matrices are stored by columns
      Value rows = real_container(out.type, {out.dims[1], out.dims[0]}, ids);
      out = transposed(rows, out.type);
    }
  }
  return out;
}

}  // namespace kullback::tape
