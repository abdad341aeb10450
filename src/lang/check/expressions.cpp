// Expressions. A sum of a thousand terms is a spine of a thousand Binary nodes, each the left operand of the
// next: spines are walked in a loop, only what hangs off them is visited by recursion.
#include <fmt/format.h>

#include "lang/check/checker.hpp"
#include "lang/print.hpp"
#include "math/signatures.hpp"
#include "math/type.hpp"

namespace kullback::lang {

namespace {

const ast::Expr* left_child(const ast::Expr& expr) {
  if (const auto* binary = expr.as<ast::Binary>()) return binary->left;
  if (const auto* indexed = expr.as<ast::Indexed>()) return indexed->base;
  if (const auto* get = expr.as<ast::TupleGet>()) return get->base;
  if (const auto* postfix = expr.as<ast::Postfix>()) return postfix->operand;
  return nullptr;
}

// Short expressions are quoted in messages, long ones are not.
bool is_short(const ast::Expr& expr) { return expr.span.end - expr.span.begin <= 40; }

}  // namespace

Value Checker::expression(const ast::Expr& expr) {
  const std::size_t bottom = spine_.size();
  const ast::Expr* at = &expr;
  while (const ast::Expr* left = left_child(*at)) {
    spine_.push_back(at);
    at = left;
  }
  Value value = leaf(*at);
  while (spine_.size() > bottom) {
    const ast::Expr* parent = spine_.back();
    spine_.pop_back();
    value = apply(*parent, value);
  }
  return value;
}

Value Checker::leaf(const ast::Expr& expr) {
  if (const auto* name = expr.as<ast::Variable>()) return variable(expr, name->name);
  if (const auto* literal = expr.as<ast::IntLiteral>()) return int_literal(expr, literal->text);
  if (const auto* literal = expr.as<ast::RealLiteral>()) return real_literal(expr, literal->text, false);
  if (const auto* literal = expr.as<ast::ImagLiteral>()) return real_literal(expr, literal->text, true);
  if (const auto* paren = expr.as<ast::Paren>()) return expression(*paren->inner);
  if (const auto* node = expr.as<ast::Call>()) return call(expr, *node);
  if (const auto* node = expr.as<ast::Prefix>()) return unary(expr, node->op, expression(*node->operand));
  if (const auto* node = expr.as<ast::Ternary>()) return ternary(expr, *node);
  if (const auto* literal = expr.as<ast::ArrayLiteral>()) return array_literal(expr, literal->elements);
  if (const auto* literal = expr.as<ast::RowVectorLiteral>())
    return row_vector_literal(expr, literal->elements);
  if (const auto* literal = expr.as<ast::TupleLiteral>()) return tuple_literal(expr, literal->elements);
  if (expr.as<ast::Target>()) return target_value(expr);
  error("string-as-value", expr.span, "A string stands only in print, reject, fatal_error and profile.");
  return {};
}

Value Checker::apply(const ast::Expr& parent, Value left) {
  if (const auto* node = parent.as<ast::Binary>())
    return binary(parent, *node, left, expression(*node->right));
  if (const auto* node = parent.as<ast::Indexed>()) return indexed(parent, *node, left);
  if (const auto* node = parent.as<ast::TupleGet>()) return tuple_get(parent, node->slot, left);
  const auto* node = parent.as<ast::Postfix>();
  return unary(parent, node->op, left);
}

Value Checker::make(Span span, const Type* type, Level level, bool data_only, decltype(Expr::node) node) {
  return {arena_.make(Expr{span, type, data_only, std::move(node)}), level};
}

// An expression that must have one type. `what` begins the sentence of the error.
Value Checker::typed(const ast::Expr& expr, Kind kind, std::string_view what, std::string_view code) {
  const Value value = expression(expr);
  if (!value || value.type()->is(kind)) return value;
  error(
      code, expr.span,
      fmt::format("{} must be {}, but {}.", what, math::to_string(Type{kind}), describe(expr, value.type())));
  return {};
}

bool Checker::check_all(ast::List<ast::Expr*> exprs, std::vector<Value>& out) {
  bool ok = true;
  for (const ast::Expr* expr : exprs) {
    out.push_back(expression(*expr));
    ok = ok && out.back();
  }
  return ok;
}

// Reports a function's name that stands where a value is needed.
bool Checker::is_value(const Value& value) {
  if (!value) return false;
  if (value.type()->kind != Kind::function) return true;
  const auto* reference = value.expr->as<FunctionRef>();
  if (!reference) {
    error("function-as-value", value.expr->span, "This is a function, but a value is needed.");
    return false;
  }
  const bool nullary = math::resolve(reference->name, {}).outcome == math::Resolution::Outcome::unique;
  error("function-as-value", value.expr->span,
        fmt::format("{} is a function, but a value is needed.", quoted(reference->name)),
        fmt::format("Call it: {}({}).", reference->name, nullary ? "" : "..."));
  return false;
}

// ---- names ----

// In generated quantities nothing is differentiated.
Level Checker::level_of(const Variable& variable) const {
  if (context_.block == BlockKind::generated_quantities || variable.type->is_discrete()) return {};
  if (variable.role == Variable::Role::argument) return {!variable.data_only};
  return {variable.block != BlockKind::data && variable.block != BlockKind::transformed_data &&
          variable.block != BlockKind::generated_quantities};
}

Value Checker::variable(const ast::Expr& expr, const ast::Name& name) {
  Name& entry = environment_.name(name.text);
  const Variable* variable = entry.variable;
  if (!variable) return function_name(expr, name, entry);
  if (context_.in_size && variable->block != BlockKind::data &&
      variable->block != BlockKind::transformed_data) {
    Diagnostic& diagnostic = error(
        "size-not-data", name.span,
        fmt::format("{} is declared in the {} block; the sizes of a block's variables may use only data and "
                    "transformed data.",
                    quoted(name.text), ast::to_string(variable->block)));
    diagnostic.note = {variable->span, quoted(name.text) + " is declared here."};
    return {};
  }
  if (!variable->type) return {};  // its declaration was in error
  return make(expr.span, variable->type, level_of(*variable), variable->data_only, VariableRef{variable});
}

Value Checker::function_name(const ast::Expr& expr, const ast::Name& name, Name& entry) {
  Name& function = is_unnormalized(name.text) ? function_entry(name.text) : entry;
  if (function.overloads.empty() && !function.is_builtin) {
    report_undefined_variable(name, entry);
    return {};
  }
  if (!check_unnormalized(name)) return {};
  return make(expr.span, function_, {}, true, FunctionRef{function.text, nullptr});
}

Value Checker::target_value(const ast::Expr& expr) {
  const bool allowed = context_.block == BlockKind::model ||
                       context_.block == BlockKind::transformed_parameters ||
                       (context_.function && context_.function->suffix == Suffix::lp);
  if (!allowed) {
    error(
        "target-outside-model", expr.span,
        "target() can be read only in the model block, in transformed parameters and in functions whose name "
        "ends in _lp.");
    return {};
  }
  return make(expr.span, real_, {true}, false, Target{});
}

// ---- operators ----

Value Checker::unary(const ast::Expr& expr, Op op, Value operand) {
  if (!operand || !is_value(operand)) return {};
  const Found found{operand.type(), !is_autodiff(operand.level, operand.type())};
  const Resolved* resolved = resolver_.op(op, {&found, 1});
  if (!resolved) {
    report_operator(expr, op, {&operand});
    return {};
  }
  const Expr* promoted = promote(operand.expr, resolved->parameters[0]);
  return make(expr.span, resolved->result, operand.level, operand.expr->data_only, Unary{op, promoted});
}

Value Checker::binary(const ast::Expr& expr, const ast::Binary& node, Value left, Value right) {
  if (!left || !right) return {};
  const bool left_ok = is_value(left);
  if (!is_value(right) || !left_ok) return {};
  warn_binary(expr, node, left, right);
  const bool left_autodiff = is_autodiff(left.level, left.type());
  const bool right_autodiff = is_autodiff(right.level, right.type());
  const Found found[] = {{left.type(), !left_autodiff}, {right.type(), !right_autodiff}};
  const Resolved* resolved = resolver_.op(node.op, found);
  if (!resolved || (node.op == Op::int_divide && (left.type() != int_ || right.type() != int_))) {
    report_operator(expr, node.op, {&left, &right});
    return {};
  }
  const Expr* promoted_left = promote(left.expr, resolved->parameters[0]);
  const Expr* promoted_right = promote(right.expr, resolved->parameters[1]);
  const bool data_only = left.expr->data_only && right.expr->data_only;
  return make(expr.span, resolved->result, {left_autodiff || right_autodiff}, data_only,
              Binary{node.op, promoted_left, promoted_right});
}

void Checker::warn_binary(const ast::Expr& expr, const ast::Binary& node, const Value& left,
                          const Value& right) {
  const bool brief = is_short(expr);
  if (node.op == Op::divide && left.type() == int_ && right.type() == int_) {
    std::string real_form = "Write 1.0 * x / y to divide as reals";
    if (brief && node.left->as<ast::IntLiteral>()) {
      real_form = fmt::format("Write {}.0 / {} to divide as reals", format(*node.left), format(*node.right));
    } else if (brief && node.right->as<ast::IntLiteral>()) {
      real_form = fmt::format("Write {} / {}.0 to divide as reals", format(*node.left), format(*node.right));
    } else if (brief) {
      real_form =
          fmt::format("Write {} * 1.0 / {} to divide as reals", format(*node.left), format(*node.right));
    }
    warning("int-division", expr.span, "This divides an int by an int: the result is rounded towards zero.",
            real_form + ", or %/% if rounding is what you want.");
  } else if (node.op == Op::pow && left.type()->kind == Kind::matrix && left.type()->array_rank <= 1 &&
             (right.type() == int_ || right.type() == real_)) {
    warning("matrix-power", expr.span, "matrix ^ number raises each element to the power.",
            "Write .^ to say so, or matrix_power(A, n) for the power of the matrix.");
  } else if (is_comparison(node.op)) {
    const auto* inner = node.left->as<ast::Binary>();
    if (!inner || !is_comparison(inner->op)) return;
    std::string hint = "Write a < b && b < c for a range, or parentheses to keep the meaning.";
    if (brief) {
      hint = fmt::format("Write {0} {1} {2} && {2} {3} {4} for a range, or parentheses to keep the meaning.",
                         format(*inner->left), to_string(inner->op), format(*inner->right),
                         to_string(node.op), format(*node.right));
    }
    warning("chained-comparison", expr.span,
            "Comparisons do not chain: the result of the first, 0 or 1, is what the second compares.", hint);
  }
}

Value Checker::ternary(const ast::Expr& expr, const ast::Ternary& node) {
  const Value condition = typed(*node.condition, Kind::int_, "The condition of ?:", "condition-type");
  const Value yes = expression(*node.yes);
  const Value no = expression(*node.no);
  const bool yes_ok = is_value(yes);
  if (!is_value(no) || !yes_ok || !condition) return {};
  const Type* type = common(yes.type(), no.type());
  if (!type) {
    error("branch-types", expr.span,
          fmt::format("The two values of ?: have no common type: one is {}, the other {}.",
                      with_article(*yes.type()), with_article(*no.type())));
    return {};
  }
  const Level level = join(join(yes.level, no.level, type), condition.level, type);
  const bool data_only = condition.expr->data_only && yes.expr->data_only && no.expr->data_only;
  const Ternary ternary{condition.expr, promote(yes.expr, type), promote(no.expr, type)};
  return make(expr.span, type, level, data_only, ternary);
}

// ---- levels ----

bool Checker::is_autodiff(const Level& level, const Type* type) {
  if (!level.elements) return level.autodiff;
  const Type* tuple = types_.without_array(type);
  for (std::size_t i = 0; i < tuple->elements->size(); ++i) {
    if (is_autodiff(level.elements[i], types_.tuple_element(tuple, i))) return true;
  }
  return false;
}

Level Checker::element_level(const Level& level, const Type* tuple, std::size_t slot) {
  if (level.elements) return level.elements[slot];
  return {level.autodiff && !types_.tuple_element(tuple, slot)->is_discrete()};
}

// Of two values that become one, such as the branches of ?:.
Level Checker::join(const Level& a, const Level& b, const Type* type) {
  if (!a.elements && !b.elements) return {a.autodiff || b.autodiff};
  const Type* tuple = types_.without_array(type);
  if (tuple->kind != Kind::tuple) return {a.autodiff || b.autodiff};
  std::vector<Level> elements;
  for (std::size_t i = 0; i < tuple->elements->size(); ++i) {
    const Level left = a.elements ? a.elements[i] : Level{a.autodiff};
    const Level right = b.elements ? b.elements[i] : Level{b.autodiff};
    elements.push_back(join(left, right, types_.tuple_element(tuple, i)));
  }
  return {a.autodiff || b.autodiff, arena_.copy(elements).data()};
}

}  // namespace kullback::lang
