#include "lang/modernize_types.hpp"

#include <utility>

#include "lang/old_functions.hpp"
#include "math/signatures.hpp"

namespace kullback::lang {

namespace {

using math::Kind;
using math::Type;

Kind kind_of(ast::BaseType base) {
  using ast::BaseType;
  switch (base) {
    case BaseType::void_: return Kind::void_;
    case BaseType::int_: return Kind::int_;
    case BaseType::real: return Kind::real;
    case BaseType::complex: return Kind::complex;
    case BaseType::vector:
    case BaseType::ordered:
    case BaseType::positive_ordered:
    case BaseType::simplex:
    case BaseType::unit_vector:
    case BaseType::sum_to_zero_vector: return Kind::vector;
    case BaseType::row_vector: return Kind::row_vector;
    case BaseType::complex_vector: return Kind::complex_vector;
    case BaseType::complex_row_vector: return Kind::complex_row_vector;
    case BaseType::complex_matrix: return Kind::complex_matrix;
    case BaseType::tuple: return Kind::tuple;
    default: return Kind::matrix;
  }
}

// What one index takes away from a type.
std::optional<Type> element(const Type& type) {
  if (type.array_rank > 0) return math::element_of(type);
  switch (type.kind) {
    case Kind::vector:
    case Kind::row_vector: return Type{Kind::real};
    case Kind::matrix: return Type{Kind::row_vector};
    default: return std::nullopt;
  }
}

std::optional<Type> result_of(const math::Resolution& resolution) {
  if (resolution.outcome != math::Resolution::Outcome::unique) return std::nullopt;
  return resolution.signature.result;
}

}  // namespace

Type unsized_type(const ast::DeclType& type) {
  Type result{kind_of(type.base)};
  if (type.base == ast::BaseType::tuple) {
    std::vector<Type> elements;
    for (const ast::DeclType* each : type.elements) elements.push_back(unsized_type(*each));
    result = math::tuple_of(std::move(elements));
  }
  return math::array_of(std::move(result), type.array_rank);
}

void TypeScopes::close() {
  const std::size_t mark = marks_.back();
  marks_.pop_back();
  for (; declared_.size() > mark; declared_.pop_back()) variables_[declared_.back()].pop_back();
}

void TypeScopes::declare(std::string_view name, Type type) {
  variables_[name].push_back(std::move(type));
  declared_.push_back(name);
}

void TypeScopes::declare_function(std::string_view name, Type result) {
  functions_[name] = std::move(result);
}

bool TypeScopes::has_variable(std::string_view name) const {
  const auto found = variables_.find(name);
  return found != variables_.end() && !found->second.empty();
}

bool TypeScopes::is(Kind kind, const ast::Expr& expr) const {
  const Known type = type_of(expr);
  return type && type->is(kind);
}

TypeScopes::Known TypeScopes::type_of(const ast::Expr& expr) const {
  if (expr.as<ast::IntLiteral>()) return Type{Kind::int_};
  if (expr.as<ast::RealLiteral>() || expr.as<ast::Target>()) return Type{Kind::real};
  if (const auto* paren = expr.as<ast::Paren>()) return type_of(*paren->inner);
  if (const auto* variable = expr.as<ast::Variable>()) {
    const auto found = variables_.find(variable->name.text);
    if (found == variables_.end() || found->second.empty()) return std::nullopt;
    return found->second.back();
  }
  if (const auto* prefix = expr.as<ast::Prefix>()) {
    return prefix->op == Op::not_ ? Type{Kind::int_} : type_of(*prefix->operand);
  }
  if (expr.as<ast::Binary>()) return type_of_chain(expr);
  if (const auto* indexed = expr.as<ast::Indexed>()) return type_of_indexed(*indexed);
  if (const auto* call = expr.as<ast::Call>()) return type_of_call(*call);
  if (const auto* ternary = expr.as<ast::Ternary>()) {
    const Known yes = type_of(*ternary->yes);
    const Known no = type_of(*ternary->no);
    return yes && no ? math::common_type(*yes, *no) : std::nullopt;
  }
  return std::nullopt;
}

// A loop over the left spine.
TypeScopes::Known TypeScopes::type_of_chain(const ast::Expr& expr) const {
  std::vector<const ast::Binary*> spine;
  const ast::Expr* first = &expr;
  Known type;
  while (const auto* binary = first->as<ast::Binary>()) {
    if (is_logical(binary->op)) break;
    spine.push_back(binary);
    first = binary->left;
  }
  type = first->as<ast::Binary>() ? Type{Kind::int_} : type_of(*first);
  for (auto binary = spine.rbegin(); binary != spine.rend() && type; ++binary) {
    type = type_of_operator(to_string((*binary)->op), type, type_of(*(*binary)->right));
  }
  return type;
}

TypeScopes::Known TypeScopes::type_of_operator(std::string_view op, const Known& left,
                                               const Known& right) const {
  if (!left || !right) return std::nullopt;
  const math::Argument arguments[] = {{*left}, {*right}};
  return result_of(math::resolve_operator(op, arguments));
}

TypeScopes::Known TypeScopes::type_of_indexed(const ast::Indexed& indexed) const {
  Known type = type_of(*indexed.base);
  for (const ast::Index& index : indexed.indices) {
    if (!type || index.kind != ast::Index::Kind::single || !is(Kind::int_, *index.low)) return std::nullopt;
    type = element(*type);
  }
  return type;
}

TypeScopes::Known TypeScopes::type_of_call(const ast::Call& call) const {
  const auto user = functions_.find(call.function.text);
  if (user != functions_.end()) return user->second;
  std::string_view name = call.function.text;
  const OldFunction* old = find_old_function(name);
  if (old != nullptr && (old->form == OldForm::choose || old->form == OldForm::density_so_far)) {
    return Type{Kind::real};
  }
  if (old != nullptr) name = old->modern;
  std::vector<math::Argument> arguments;
  for (const ast::Expr* argument : call.arguments) {
    Known type = type_of(*argument);
    if (!type) return std::nullopt;
    arguments.push_back({std::move(*type)});
  }
  Known result = result_of(math::resolve(name, arguments));
  const bool old_real = old != nullptr && old->form == OldForm::magnitude && result && result->is(Kind::int_);
  return old_real ? Type{Kind::real} : result;
}

}  // namespace kullback::lang
