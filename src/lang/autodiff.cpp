#include "lang/autodiff.hpp"

#include <algorithm>
#include <cstddef>

namespace kullback::lang {

namespace {

using math::Type;

// A value of this type whose real numbers are all autodiff, or none.
Autodiff uniform(const Type& type, bool autodiff) {
  Autodiff result;
  if (type.kind == math::Kind::tuple) {
    for (const Type& slot : *type.elements) {
      result.slots.push_back(uniform(slot, autodiff));
      result.any = result.any || result.slots.back().any;
    }
    return result;
  }
  result.any = autodiff && !type.is_int();
  return result;
}

// f of both, slot by slot.
template <class F>
Autodiff combine(const Autodiff& a, const Autodiff& b, const F& f) {
  Autodiff result{f(a.any, b.any)};
  if (a.slots.size() != b.slots.size()) return result;
  result.any = a.slots.empty() && result.any;
  for (std::size_t i = 0; i < a.slots.size(); ++i) {
    result.slots.push_back(combine(a.slots[i], b.slots[i], f));
    result.any = result.any || result.slots.back().any;
  }
  return result;
}

Autodiff join(const Autodiff& a, const Autodiff& b) {
  return combine(a, b, [](bool x, bool y) { return x || y; });
}

// The first guess of an algebraic solver: its numbers leave no trace in the solution.
bool begins_with_guess(std::string_view function) {
  return function.starts_with("algebra_solver") || function.starts_with("solve_newton") ||
         function.starts_with("solve_powell");
}

bool is_model(BlockKind block) {
  return block != BlockKind::data && block != BlockKind::transformed_data &&
         block != BlockKind::generated_quantities;
}

template <class Find>
Autodiff tuple_of(List<const Expr*> elements, const Find& find) {
  Autodiff tuple;
  for (const Expr* element : elements) {
    tuple.slots.push_back(find(*element));
    tuple.any = tuple.any || tuple.slots.back().any;
  }
  return tuple;
}

template <class Find>
Autodiff join_all(List<const Expr*> elements, const Find& find) {
  Autodiff result;
  for (std::size_t i = 0; i < elements.size(); ++i)
    result = i == 0 ? find(*elements[i]) : join(result, find(*elements[i]));
  return result;
}

// Long sums lean to the left: walked in a loop, as far as they have one kind of number.
template <class Find>
bool any_of_operands(const Expr& binary, const Find& find) {
  const Expr* at = &binary;
  while (const auto* n = at->as<Binary>()) {
    if (find(*n->right).any) return true;
    if (at->type->is_int() != n->left->type->is_int()) return find(*n->left).any;
    at = n->left;
  }
  return find(*at).any;
}

// What the program says of an expression by itself: that of a function's argument is autodiff unless it is
// declared `data`. Comparisons of autodiff numbers count as autodiff here, though they are ints.
Autodiff level_of(const Expr& expr) {
  const auto spread = [&](bool autodiff) {
    return expr.type->kind == math::Kind::tuple ? uniform(*expr.type, autodiff) : Autodiff{autodiff};
  };
  if (const auto* n = expr.as<VariableRef>())
    return uniform(*n->variable->type,
                   is_model(n->variable->block) &&
                       (n->variable->role != Variable::Role::argument || !n->variable->data_only));
  if (const auto* n = expr.as<Promote>()) return level_of(*n->from);
  if (const auto* n = expr.as<Unary>()) return level_of(*n->operand);
  if (expr.as<Binary>() != nullptr) return spread(any_of_operands(expr, level_of));
  if (const auto* n = expr.as<Ternary>()) {
    const Autodiff own = join(level_of(*n->yes), level_of(*n->no));
    return level_of(*n->condition).any ? spread(true) : own;
  }
  if (const auto* n = expr.as<Call>()) {
    const bool any = std::any_of(n->arguments.begin(), n->arguments.end(),
                                 [](const Expr* argument) { return level_of(*argument).any; });
    return uniform(*expr.type, any);
  }
  if (const auto* n = expr.as<ArrayLiteral>()) return join_all(n->elements, level_of);
  if (const auto* n = expr.as<RowVectorLiteral>()) return join_all(n->elements, level_of);
  if (const auto* n = expr.as<TupleLiteral>()) return tuple_of(n->elements, level_of);
  if (const auto* n = expr.as<Indexed>()) {
    const bool by_index = std::any_of(n->indices.begin(), n->indices.end(), [](const Index& index) {
      return (index.low != nullptr && level_of(*index.low).any) ||
             (index.high != nullptr && level_of(*index.high).any);
    });
    return by_index ? spread(true) : level_of(*n->base);
  }
  if (const auto* n = expr.as<TupleGet>())
    return level_of(*n->base).slots[static_cast<std::size_t>(n->slot - 1)];
  return spread(expr.as<Target>() != nullptr);  // target(), or a constant
}

}  // namespace

// Finds types in a scope. Literals, alternatives and elements of loops whose level is autodiff are declared
// with the scope's own scalar type.
class CallScope::Finder final {
 public:
  explicit Finder(const CallScope& scope) : scope_(scope) {}

  Autodiff find(const Expr& expr) const {
    if (expr.type->is_int() || expr.type->kind == math::Kind::function) return {};
    if (const auto* n = expr.as<VariableRef>()) return variable(*n->variable);
    if (const auto* n = expr.as<Promote>()) return find(*n->from);
    if (const auto* n = expr.as<Unary>()) return find(*n->operand);
    if (expr.as<Binary>() != nullptr)
      return {any_of_operands(expr, [this](const Expr& operand) { return find(operand); })};
    if (const auto* n = expr.as<Ternary>()) return choice(expr, *n);
    if (const auto* n = expr.as<Call>()) return uniform(*expr.type, any_argument(*n));
    if (expr.as<ArrayLiteral>() != nullptr || expr.as<RowVectorLiteral>() != nullptr)
      return scalar(level_of(expr));
    if (const auto* n = expr.as<TupleLiteral>())
      return tuple_of(n->elements, [this](const Expr& element) { return find(element); });
    if (const auto* n = expr.as<Indexed>()) return find(*n->base);
    if (const auto* n = expr.as<TupleGet>())
      return find(*n->base).slots[static_cast<std::size_t>(n->slot - 1)];
    return uniform(*expr.type, expr.as<Target>() != nullptr);  // target(), or a number
  }

 private:
  const CallScope& scope_;

  // What is declared with this level has the scope's own scalar type where the level is autodiff.
  Autodiff scalar(const Autodiff& level) const {
    const bool autodiff = scope_.function_ == nullptr || scope_.any();
    return combine(level, level, [autodiff](bool x, bool) { return x && autodiff; });
  }

  Autodiff variable(const Variable& variable) const {
    if (variable.role == Variable::Role::argument) {
      const List<const Variable*> parameters = scope_.function_->parameters;
      const auto at = std::find(parameters.begin(), parameters.end(), &variable);
      return scope_.arguments()[static_cast<std::size_t>(at - parameters.begin())];
    }
    if (const auto loop = scope_.containers_.find(&variable); loop != scope_.containers_.end())
      return scalar(level_of(*loop->second));
    return scalar(uniform(*variable.type, is_model(variable.block)));
  }

  bool any_argument(const Call& call) const {
    const bool guesses = call.user == nullptr && begins_with_guess(call.name);
    const std::size_t guess = guesses ? 1 : call.arguments.size();
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      if (i != guess && find(*call.arguments[i]).any) return true;
    }
    return false;
  }

  // An alternative whose level is not that of the whole is promoted.
  Autodiff choice(const Expr& expr, const Ternary& choice) const {
    const Autodiff level = level_of(expr);
    const auto promoted = [&](const Expr& alternative) {
      const auto differ = [](bool x, bool y) { return x != y; };
      return join(find(alternative), scalar(combine(level, level_of(alternative), differ)));
    };
    return join(promoted(*choice.yes), promoted(*choice.no));
  }
};

CallScope::CallScope(const Function& function, const CallScope& caller,
                     std::span<const Expr* const> arguments, bool drops)
    : function_(&function), caller_(&caller), written_(arguments), drops_(caller.drops_ && drops) {}

const std::vector<Autodiff>& CallScope::arguments() const {
  if (arguments_.empty()) {
    for (const Expr* argument : written_)
      arguments_.push_back(argument != nullptr ? caller_->type_of(*argument) : Autodiff{});
  }
  return arguments_;
}

bool CallScope::any() const {
  const std::vector<Autodiff>& all = arguments();
  return std::any_of(all.begin(), all.end(), [](const Autodiff& argument) { return argument.any; });
}

Autodiff CallScope::type_of(const Expr& expr) const { return Finder(*this).find(expr); }

unsigned CallScope::mask(const void* key, std::span<const Expr* const> arguments) const {
  const auto [known, is_new] = masks_.try_emplace(key, 0U);
  if (!is_new) return known->second;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    known->second |= type_of(*arguments[i]).any ? 1U << i : 0U;
  return known->second;
}

}  // namespace kullback::lang
