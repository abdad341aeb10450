// Literals, and promotion: int -> real -> complex. A promotion of an array, row vector or tuple literal is
// one of its elements, so that {1, 2} as array[] real holds two reals instead of being converted.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "lang/check/checker.hpp"

namespace kullback::lang {

namespace {

constexpr std::int64_t kMaxInt = 2147483647;

// The decimal exponent of the first digit that is not 0; only its sign is needed, to tell overflow from
// underflow.
bool is_huge(std::string_view text) {
  const std::size_t e = text.find_first_of("eE");
  const std::string_view mantissa = text.substr(0, e);
  long exponent = 0;
  if (e != std::string_view::npos) {
    std::string_view digits = text.substr(e + 1);
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    (void)end;
    if (failure == std::errc::result_out_of_range)
      exponent = digits.starts_with('-') ? -100000000 : 100000000;
  }
  const std::size_t dot = std::min(mantissa.find('.'), mantissa.size());
  const std::size_t first = mantissa.find_first_not_of("0.");
  if (first == std::string_view::npos) return false;
  return static_cast<long>(dot) - static_cast<long>(first) + exponent > 0;
}

std::string without_underscores(std::string_view text) {
  std::string digits;
  for (char c : text) {
    if (c != '_') digits += c;
  }
  return digits;
}

}  // namespace

Value Checker::int_literal(const ast::Expr& expr, std::string_view text) {
  std::int64_t value = 0;
  for (char c : text) {
    if (c == '_') continue;
    value = value * 10 + (c - '0');
    if (value > kMaxInt) {
      error("int-overflow", expr.span,
            fmt::format("{} is too large for an int, whose greatest value is {}.",
                        text.size() <= 30 ? std::string(text) : "This literal", kMaxInt),
            "Write it with a decimal point to make it a real.");
      return {};
    }
  }
  return make(expr.span, int_, {}, true, IntConstant{static_cast<std::int32_t>(value)});
}

Value Checker::real_literal(const ast::Expr& expr, std::string_view text, bool imaginary) {
  const bool plain = text.find('_') == std::string_view::npos;
  const std::string copy = plain ? std::string() : without_underscores(text);
  const std::string_view digits = plain ? text : copy;
  double value = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  (void)end;
  if (failure == std::errc::result_out_of_range) {
    value = 0;  // underflow
    if (is_huge(digits)) {
      error("real-overflow", expr.span,
            fmt::format("{} is too large for a real, whose greatest value is about 1.8e308.",
                        text.size() <= 30 ? std::string(text) : "This literal"),
            "Write positive_infinity() if infinity is meant.");
      return {};
    }
  }
  if (imaginary) return make(expr.span, complex_, {}, true, ImagConstant{value});
  return make(expr.span, real_, {}, true, RealConstant{value});
}

// Checks all and says whether each is a value.
bool Checker::check_elements(ast::List<ast::Expr*> elements, std::vector<Value>& out) {
  bool ok = check_all(elements, out);
  for (const Value& value : out) ok = (!value || is_value(value)) && ok;
  return ok;
}

Level Checker::join_all(std::span<const Value> values, const Type* type) {
  Level level;
  for (const Value& value : values) level = join(level, value.level, type);
  return level;
}

Value Checker::array_literal(const ast::Expr& expr, ast::List<ast::Expr*> elements) {
  Values values(value_pool_);
  if (!check_elements(elements, *values) || values->empty()) return {};
  const Type* type = values->front().type();
  bool data_only = true;
  Exprs exprs(expr_pool_);
  for (const Value& value : *values) {
    const Type* wider = common(type, value.type());
    if (!wider) {
      error("element-types", value.expr->span,
            fmt::format("The elements of an array have one type: this is {}, but those before it are {}.",
                        with_article(*value.type()), math::to_string(*type)));
      return {};
    }
    type = wider;
    data_only = data_only && value.expr->data_only;
    exprs->push_back(value.expr);
  }
  if (type->array_rank == UINT8_MAX) {
    error("too-many-dimensions", expr.span, "An array has at most 255 dimensions.");
    return {};
  }
  return make(expr.span, types_.array_of(type), join_all(*values, type), data_only,
              ArrayLiteral{promote_all(*exprs, type)});
}

// Of scalars a row vector, of row vectors a matrix.
Value Checker::row_vector_literal(const ast::Expr& expr, ast::List<ast::Expr*> elements) {
  Values values(value_pool_);
  if (!check_elements(elements, *values)) return {};
  const Type* row = types_.get(Kind::row_vector);
  const Type* complex_row = types_.get(Kind::complex_row_vector);
  const Type* type = real_;
  if (!values->empty() && (values->front().type() == row || values->front().type() == complex_row))
    type = values->front().type();
  const bool is_matrix = type != real_;
  bool data_only = true;
  Exprs exprs(expr_pool_);
  for (const Value& value : *values) {
    const Type* wider = common(type, value.type());
    if (!wider) {
      error("element-types", value.expr->span,
            fmt::format("{}, but this is {}.",
                        is_matrix ? "The rows of a matrix must be row_vector or complex_row_vector"
                                  : "The elements of a row vector must be int, real or complex",
                        with_article(*value.type())),
            value.type()->array_rank > 0 ? "Write {...} for an array of arrays." : "");
      return {};
    }
    type = wider;
    data_only = data_only && value.expr->data_only;
    exprs->push_back(value.expr);
  }
  Kind kind = type == complex_ ? Kind::complex_row_vector : Kind::row_vector;
  if (is_matrix) kind = type == complex_row ? Kind::complex_matrix : Kind::matrix;
  return make(expr.span, types_.get(kind), join_all(*values, type), data_only,
              RowVectorLiteral{promote_all(*exprs, type)});
}

Value Checker::tuple_literal(const ast::Expr& expr, ast::List<ast::Expr*> elements) {
  Values values(value_pool_);
  if (!check_elements(elements, *values) || values->empty()) return {};
  std::vector<const Type*> types;
  std::vector<Level> levels;
  Exprs exprs(expr_pool_);
  Level level;
  bool data_only = true;
  for (const Value& value : *values) {
    types.push_back(value.type());
    levels.push_back(value.level);
    level.autodiff = level.autodiff || is_autodiff(value.level, value.type());
    data_only = data_only && value.expr->data_only;
    exprs->push_back(value.expr);
  }
  level.elements = arena_.copy(levels).data();
  return make(expr.span, types_.tuple_of(types), level, data_only, TupleLiteral{arena_.copy(*exprs)});
}

// ---- promotion ----

const math::Type* Checker::common(const Type* a, const Type* b) {
  if (a == b) return a;
  const std::optional<Type> type = math::common_type(*a, *b);
  return type ? types_.intern(*type) : nullptr;
}

bool Checker::promotes(const Type* from, const Type* to) {
  return from == to || math::promotion_cost(*from, *to).has_value();
}

// What the elements of a literal of this row vector or matrix type are.
const math::Type* Checker::row_element(const Type* literal) {
  switch (literal->kind) {
    case Kind::matrix: return types_.get(Kind::row_vector);
    case Kind::complex_matrix: return types_.get(Kind::complex_row_vector);
    case Kind::complex_row_vector: return complex_;
    default: return real_;
  }
}

List<const Expr*> Checker::promote_all(std::span<const Expr* const> exprs, const Type* to) {
  Exprs promoted(expr_pool_);
  for (const Expr* expr : exprs) promoted->push_back(promote(expr, to));
  return arena_.copy(*promoted);
}

const Expr* Checker::promote(const Expr* expr, const Type* to) {
  if (expr->type == to || to->kind == Kind::function) return expr;
  Expr promoted{expr->span, to, expr->data_only, Promote{expr}};
  if (const auto* array = expr->as<ArrayLiteral>()) {
    promoted.node = ArrayLiteral{promote_all(array->elements, types_.element_of(to))};
  } else if (const auto* row = expr->as<RowVectorLiteral>()) {
    promoted.node = RowVectorLiteral{promote_all(row->elements, row_element(to))};
  } else if (const auto* tuple = expr->as<TupleLiteral>()) {
    Exprs elements(expr_pool_);
    for (std::size_t i = 0; i < tuple->elements.size(); ++i)
      elements->push_back(promote(tuple->elements[i], types_.tuple_element(to, i)));
    promoted.node = TupleLiteral{arena_.copy(*elements)};
  }
  return arena_.make(promoted);
}

}  // namespace kullback::lang
