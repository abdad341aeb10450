// Declarations: sizes, bounds, the variable itself, its first value. A declaration in error still declares
// its variables.
#include <fmt/format.h>

#include "lang/check/checker.hpp"
#include "lang/visit.hpp"

namespace kullback::lang {

namespace {

using ast::BaseType;

struct Base {
  math::Kind kind;
  Constraint constraint = Constraint::none;
};

Base base_of(BaseType base) {
  using math::Kind;
  switch (base) {
    case BaseType::void_: return {Kind::void_};
    case BaseType::int_: return {Kind::int_};
    case BaseType::real: return {Kind::real};
    case BaseType::complex: return {Kind::complex};
    case BaseType::vector: return {Kind::vector};
    case BaseType::row_vector: return {Kind::row_vector};
    case BaseType::matrix: return {Kind::matrix};
    case BaseType::complex_vector: return {Kind::complex_vector};
    case BaseType::complex_row_vector: return {Kind::complex_row_vector};
    case BaseType::complex_matrix: return {Kind::complex_matrix};
    case BaseType::tuple: return {Kind::tuple};
    case BaseType::ordered: return {Kind::vector, Constraint::ordered};
    case BaseType::positive_ordered: return {Kind::vector, Constraint::positive_ordered};
    case BaseType::simplex: return {Kind::vector, Constraint::simplex};
    case BaseType::unit_vector: return {Kind::vector, Constraint::unit_vector};
    case BaseType::sum_to_zero_vector: return {Kind::vector, Constraint::sum_to_zero};
    case BaseType::sum_to_zero_matrix: return {Kind::matrix, Constraint::sum_to_zero};
    case BaseType::cholesky_factor_corr: return {Kind::matrix, Constraint::cholesky_factor_corr};
    case BaseType::cholesky_factor_cov: return {Kind::matrix, Constraint::cholesky_factor_cov};
    case BaseType::corr_matrix: return {Kind::matrix, Constraint::corr_matrix};
    case BaseType::cov_matrix: return {Kind::matrix, Constraint::cov_matrix};
    case BaseType::column_stochastic_matrix: return {Kind::matrix, Constraint::column_stochastic};
    case BaseType::row_stochastic_matrix: return {Kind::matrix, Constraint::row_stochastic};
  }
  return {math::Kind::void_};
}

bool is_real(const Expr* bound) { return bound && bound->type->is(math::Kind::real); }

constexpr int kMaxRank = 255;

}  // namespace

const math::Type* Checker::unsized_type(const ast::DeclType& type) {
  int rank = type.array_rank;
  if (rank > kMaxRank) {
    error("too-many-dimensions", type.span, fmt::format("An array has at most {} dimensions.", kMaxRank));
    rank = kMaxRank;
  }
  if (type.base != BaseType::tuple) return types_.get(base_of(type.base).kind, rank);
  std::vector<const Type*> elements;
  for (const ast::DeclType* element : type.elements) elements.push_back(unsized_type(*element));
  return types_.tuple_of(elements, rank);
}

List<const Expr*> Checker::sizes(ast::List<ast::Expr*> exprs, bool global, std::string_view what) {
  Exprs checked(expr_pool_);
  const bool was_in_size = std::exchange(context_.in_size, global);
  for (const ast::Expr* expr : exprs) checked->push_back(typed(*expr, Kind::int_, what, "size-type").expr);
  context_.in_size = was_in_size;
  return arena_.copy(*checked);
}

const Expr* Checker::bound(const ast::Expr* expr, const Type* type, std::string_view what) {
  if (!expr) return nullptr;
  const Value value = expression(*expr);
  if (!value || value.type() == int_ || value.type() == real_ || value.type() == type) return value.expr;
  const bool scalar = type->array_rank == 0 && (type->kind == Kind::int_ || type->kind == Kind::real);
  error("bound-type", expr->span,
        scalar ? fmt::format("The {} must be int or real, but {}.", what, describe(*expr, value.type()))
               : fmt::format("The {} must be int, real or {}, but {}.", what, math::to_string(*type),
                             describe(*expr, value.type())));
  return nullptr;
}

void Checker::check_bounds(const ast::DeclType& type, SizedType& sized) {
  sized.lower = bound(type.bounds.lower, sized.type, "lower bound");
  sized.upper = bound(type.bounds.upper, sized.type, "upper bound");
  sized.offset = bound(type.bounds.offset, sized.type, "offset");
  sized.multiplier = bound(type.bounds.multiplier, sized.type, "multiplier");
  if (type.bounds.lower || type.bounds.upper) sized.constraint = Constraint::bounds;
  if (type.bounds.offset || type.bounds.multiplier) sized.constraint = Constraint::offset_multiplier;
}

const SizedType* Checker::sized_type(const ast::Stmt& stmt, const ast::DeclType& type, bool global) {
  SizedType sized;
  sized.type = unsized_type(type);
  sized.constraint = base_of(type.base).constraint;
  const Kind kind = sized.type->kind;
  Exprs own(expr_pool_);
  for (const Expr* size : sizes(type.sizes, global, "A size")) own->push_back(size);
  if (own->size() == 1 && (kind == Kind::matrix || kind == Kind::complex_matrix))
    own->push_back(own->front());
  sized.sizes = arena_.copy(*own);
  sized.array_sizes = sizes(type.array_sizes, global, "The size of an array");
  check_bounds(type, sized);
  std::vector<const SizedType*> elements;
  for (const ast::DeclType* element : type.elements) elements.push_back(sized_type(stmt, *element, global));
  sized.elements = arena_.copy(elements);
  if (global) check_declared_type(stmt, type, sized);
  return arena_.make(sized);
}

void Checker::check_declared_type(const ast::Stmt& stmt, const ast::DeclType& type, const SizedType& sized) {
  if (sized.type == int_ && (is_real(sized.lower) || is_real(sized.upper))) {
    error("bound-type", stmt.span, "The bounds of an int must be int, but this one is a real.");
  }
  const ast::Bounds& bounds = type.bounds;
  if (sized.type->is_complex() && (bounds.lower || bounds.upper || bounds.offset || bounds.multiplier)) {
    error("complex-constraint", stmt.span, "Complex variables have no bounds, offset or multiplier.",
          "Declare real and imaginary parts with bounds and join them with to_complex(x, y).");
  }
}

const Expr* Checker::initial_value(const ast::Stmt& stmt, const ast::Declared& declared,
                                   const Variable& variable) {
  if (!declared.value) return nullptr;
  const Value value = expression(*declared.value);
  if (!value || !is_value(value)) return nullptr;
  bool reads_itself = false;
  for_each_expr(*value.expr, [&](const Expr& below) {
    const auto* reference = below.as<VariableRef>();
    if (reference && reference->variable == &variable) reads_itself = true;
    return !reads_itself;
  });
  if (reads_itself) {
    warning("self-assignment", stmt.span,
            fmt::format("The first value of {} is computed from {} itself, which has none yet.",
                        quoted(variable.name), quoted(variable.name)));
  }
  if (promotes(value.type(), variable.type)) return promote(value.expr, variable.type);
  error("assignment-type", stmt.span,
        fmt::format("{} is declared {}, but its first value is {}.", quoted(variable.name),
                    math::to_string(*variable.type), with_article(*value.type())),
        conversion_hint(value.type(), variable.type));
  return nullptr;
}

void Checker::check_declaration(const ast::Stmt& stmt, const ast::Declare& node,
                                std::vector<const Stmt*>& out) {
  const bool global = context_.top_level;
  const SizedType* sized = sized_type(stmt, *node.type, global);
  const bool was_top_level = std::exchange(context_.top_level, false);
  for (const ast::Declared& declared : node.variables) {
    Variable variable;
    variable.type = sized->type;
    variable.declared = sized;
    variable.role = global ? Variable::Role::global : Variable::Role::local;
    variable.data_only = context_.block == BlockKind::data || context_.block == BlockKind::transformed_data;
    const Variable* made = declare(declared.name, variable);
    const Expr* value = initial_value(stmt, declared, *made);
    out.push_back(arena_.make(Stmt{stmt.span, Declare{made, value}}));
  }
  context_.top_level = was_top_level;
  const bool estimated =
      context_.block == BlockKind::parameters || context_.block == BlockKind::transformed_parameters;
  if (global && estimated && sized->type->contains_int()) {
    error("int-parameter", stmt.span,
          context_.block == BlockKind::parameters
              ? "A parameter cannot be an int: Stan's algorithms need derivatives."
              : "A transformed parameter cannot be an int: it belongs to the derivatives of the model.",
          context_.block == BlockKind::parameters
              ? "Sum a discrete parameter out of the density; the user's guide shows how."
              : "Declare it in a { ... } block inside, in the model block or in generated quantities.");
  }
}

}  // namespace kullback::lang
