// Assignments. The left side is a variable of this block, an element, a slot, or a tuple of such, which is
// unpacked: its parts may not overlap, and nothing written may be read in the indices of the left side.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "lang/check/checker.hpp"
#include "lang/visit.hpp"

namespace kullback::lang {

namespace {

const Variable* root_of(const Expr& place) {
  const Expr* at = &place;
  for (;;) {
    if (const auto* indexed = at->as<Indexed>())
      at = indexed->base;
    else if (const auto* get = at->as<TupleGet>())
      at = get->base;
    else
      break;
  }
  const auto* reference = at->as<VariableRef>();
  return reference ? reference->variable : nullptr;
}

void collect_places(const Expr& target, std::vector<const Expr*>& out) {
  if (const auto* tuple = target.as<TupleLiteral>()) {
    for (const Expr* element : tuple->elements) collect_places(*element, out);
  } else {
    out.push_back(&target);
  }
}

// A variable and the slots below it, indices left out: two parts of one array may be the same.
struct Path {
  const Variable* variable;
  std::vector<int> slots;

  bool operator==(const Path&) const = default;
  bool operator<(const Path& other) const {
    return variable != other.variable ? variable < other.variable : slots < other.slots;
  }
};

Path path_of(const Expr& place) {
  Path path{root_of(place), {}};
  for (const Expr* at = &place;;) {
    if (const auto* indexed = at->as<Indexed>()) {
      at = indexed->base;
    } else if (const auto* get = at->as<TupleGet>()) {
      path.slots.push_back(get->slot);
      at = get->base;
    } else {
      break;
    }
  }
  std::reverse(path.slots.begin(), path.slots.end());
  return path;
}

// One path is the other or a part of it.
bool overlap(const Path& a, const Path& b) {
  const std::size_t shorter = std::min(a.slots.size(), b.slots.size());
  return a.variable == b.variable &&
         std::equal(a.slots.begin(), a.slots.begin() + static_cast<long>(shorter), b.slots.begin());
}

// The first of the variables that the expression reads, or null.
const Variable* read_in(const Expr* expr, const std::unordered_set<const Variable*>& variables) {
  const Variable* found = nullptr;
  if (!expr) return nullptr;
  for_each_expr(*expr, [&](const Expr& below) {
    const auto* reference = below.as<VariableRef>();
    if (!found && reference && variables.contains(reference->variable)) found = reference->variable;
    return found == nullptr;
  });
  return found;
}

const Variable* read_in_indices(const Expr& place, const std::unordered_set<const Variable*>& variables) {
  for (const Expr* at = &place; !at->as<VariableRef>();) {
    const auto* indexed = at->as<Indexed>();
    for (std::size_t i = 0; indexed && i < indexed->indices.size(); ++i) {
      if (const Variable* found = read_in(indexed->indices[i].low, variables)) return found;
      if (const Variable* found = read_in(indexed->indices[i].high, variables)) return found;
    }
    at = indexed ? indexed->base : at->as<TupleGet>()->base;
  }
  return nullptr;
}

// Certainly the same value: only names, constants, indices and slots are compared.
bool same_place(const Expr* a, const Expr* b) {
  for (;;) {
    if (a == b) return true;
    if (!a || !b || a->node.index() != b->node.index()) return false;
    if (const auto* name = a->as<VariableRef>()) return name->variable == b->as<VariableRef>()->variable;
    if (const auto* constant = a->as<IntConstant>()) return constant->value == b->as<IntConstant>()->value;
    if (const auto* get = a->as<TupleGet>()) {
      if (get->slot != b->as<TupleGet>()->slot) return false;
      a = get->base;
      b = b->as<TupleGet>()->base;
      continue;
    }
    const auto* indexed = a->as<Indexed>();
    if (!indexed) return false;
    const auto* other = b->as<Indexed>();
    if (indexed->indices.size() != other->indices.size()) return false;
    for (std::size_t i = 0; i < indexed->indices.size(); ++i) {
      const Index& x = indexed->indices[i];
      const Index& y = other->indices[i];
      if (x.kind != y.kind || !same_place(x.low, y.low) || !same_place(x.high, y.high)) return false;
    }
    a = indexed->base;
    b = other->base;
  }
}

}  // namespace

Value Checker::place_variable(const ast::Name& name, Span span) {
  Name& entry = environment_.name(name.text);
  const Variable* variable = entry.variable;
  if (!variable) {
    if (entry.overloads.empty() && !entry.is_builtin) {
      report_undefined_variable(name, entry);
    } else {
      error("not-assignable", name.span,
            fmt::format("{} is a function and cannot be assigned to.", quoted(name.text)));
    }
    return {};
  }
  std::string why;
  if (variable->role == Variable::Role::loop) {
    why = "is a loop variable and cannot be changed";
  } else if (variable->role == Variable::Role::argument) {
    why = "is an argument of this function and cannot be changed";
  } else if (variable->role == Variable::Role::global && variable->block != context_.block) {
    why = fmt::format("is declared in the {} block and cannot be changed in another one",
                      ast::to_string(variable->block));
  }
  if (!why.empty()) {
    Diagnostic& diagnostic =
        error("not-assignable", name.span, fmt::format("{} {}.", quoted(name.text), why),
              variable->role == Variable::Role::global ? "" : "Copy it to a local variable first.");
    diagnostic.note = {variable->span, quoted(name.text) + " is declared here."};
    return {};
  }
  if (!variable->type) return {};
  return make(span, variable->type, level_of(*variable), variable->data_only, VariableRef{variable});
}

// x, x[i], x.1, and so on. Several pairs of brackets may follow each other only if all but the last hold
// single indices: x[1:3][2] would assign to a copy.
Value Checker::place(const ast::Expr& expr) {
  const std::size_t bottom = spine_.size();
  const ast::Expr* at = &expr;
  for (;;) {
    const ast::Expr* base = nullptr;
    if (const auto* indexed = at->as<ast::Indexed>()) base = indexed->base;
    if (const auto* get = at->as<ast::TupleGet>()) base = get->base;
    if (!base) break;
    spine_.push_back(at);
    at = base;
  }
  const auto* name = at->as<ast::Variable>();
  if (!name)
    error("not-assignable", at->span, "Only variables, their elements and slots can be assigned to.");
  Value value = name ? place_variable(name->name, at->span) : Value{};
  bool inner_multi = false;
  while (spine_.size() > bottom) {
    const ast::Expr* parent = spine_.back();
    spine_.pop_back();
    if (const auto* get = parent->as<ast::TupleGet>()) {
      value = tuple_get(*parent, get->slot, value);
      inner_multi = false;
      continue;
    }
    value = indexed(*parent, *parent->as<ast::Indexed>(), value);
    if (!value) continue;
    if (inner_multi) {
      error("nested-multi-index", parent->span,
            "The left side of an assignment cannot index what several indices have chosen.",
            "Put all indices into one pair of brackets.");
      value = {};
      inner_multi = false;
      continue;
    }
    for (const Index& index : value.expr->as<Indexed>()->indices)
      inner_multi = inner_multi || is_multi(index);
  }
  return value;
}

Value Checker::target_of(const ast::Expr& expr) {
  const auto* literal = expr.as<ast::TupleLiteral>();
  if (!literal) return place(expr);
  Exprs elements(expr_pool_);
  std::vector<const Type*> types;
  bool ok = true;
  for (const ast::Expr* element : literal->elements) {
    const Value value = target_of(*element);
    ok = ok && value;
    if (!value) continue;
    elements->push_back(value.expr);
    types.push_back(value.type());
  }
  if (!ok) return {};
  return make(expr.span, types_.tuple_of(types), {}, false, TupleLiteral{arena_.copy(*elements)});
}

bool Checker::check_overlap(const Expr& target) {
  if (target.as<VariableRef>()) return true;
  std::vector<const Expr*> places;
  collect_places(target, places);
  std::unordered_set<const Variable*> written;
  std::vector<Path> paths;
  for (const Expr* place : places) {
    written.insert(root_of(*place));
    if (places.size() > 1) paths.push_back(path_of(*place));
  }
  std::sort(paths.begin(), paths.end());
  for (std::size_t i = 1; i < paths.size(); ++i) {
    if (!overlap(paths[i - 1], paths[i])) continue;
    error("overlapping-targets", target.span,
          fmt::format("{} would be assigned to more than once.", quoted(paths[i].variable->name)));
    return false;
  }
  for (const Expr* place : places) {
    const Variable* read = read_in_indices(*place, written);
    if (!read) continue;
    error("target-read", target.span,
          fmt::format("{} is assigned to and read in the indices of the left side.", quoted(read->name)),
          "Copy the index to a local variable first.");
    return false;
  }
  return true;
}

void Checker::warn_self_assignment(Span span, const Expr& target, const Expr& value) {
  if (same_place(&target, &value)) warning("self-assignment", span, "This assigns a variable to itself.");
}

// The value, promoted; null, and reported, where it does not fit.
const Expr* Checker::assigned(const Expr& target, const Value& value, const ast::Expr& value_expr) {
  if (promotes(value.type(), target.type)) return promote(value.expr, target.type);
  std::string what = "The left side";
  if (target.as<VariableRef>()) what = quoted(target.as<VariableRef>()->variable->name);
  error("assignment-type", value_expr.span,
        fmt::format("{} is {}, but the value assigned is {}.", what, with_article(*target.type),
                    with_article(*value.type())),
        conversion_hint(value.type(), target.type));
  return nullptr;
}

std::string Checker::conversion_hint(const Type* from, const Type* to) const {
  if (from == real_ && to == int_) return "to_int(x) makes an int of a real that is data.";
  const auto one_dimensional = [](const Type* t) {
    return (t->array_rank == 1 && (t->kind == Kind::real || t->kind == Kind::int_)) || t->is(Kind::vector) ||
           t->is(Kind::row_vector) || t->is(Kind::matrix);
  };
  if (!one_dimensional(from)) return {};
  if (to->is(Kind::vector))
    return from->is(Kind::row_vector) ? "Write x' for its transpose." : "to_vector(x) makes one.";
  if (to->is(Kind::row_vector))
    return from->is(Kind::vector) ? "Write x' for its transpose." : "to_row_vector(x) makes one.";
  if (to->array_rank == 1 && to->kind == Kind::real) return "to_array_1d(x) makes one.";
  return {};
}

// x += y means x = x + y, which must have the type of x.
const Expr* Checker::compound(const ast::Assign& assign, const Expr& target, const Value& value) {
  const Found found[] = {{target.type, false}, {value.type(), !is_autodiff(value.level, value.type())}};
  const Resolved* resolved = resolver_.compound(assign.op, found);
  const bool elementwise = assign.op == Op::elt_times || assign.op == Op::elt_divide;
  const bool scalar = target.type == int_ || target.type == real_;
  if (resolved && resolved->result == target.type && !(elementwise && scalar))
    return promote(value.expr, resolved->parameters[1]);
  error("assignment-type", assign.value->span,
        resolved && resolved->result != target.type
            ? fmt::format("The left side of {}= is {}, but the result would be {}.", to_string(assign.op),
                          with_article(*target.type), with_article(*resolved->result))
            : fmt::format("{}= cannot be applied to {} and {}.", to_string(assign.op),
                          with_article(*target.type), with_article(*value.type())),
        elementwise && scalar ? fmt::format("Write {}= for scalars.", to_string(assign.op).substr(1)) : "");
  return nullptr;
}

Effect Checker::assignment(const ast::Stmt& stmt, const ast::Assign& assign) {
  const Value target = target_of(*assign.target);
  const bool target_ok = target && check_overlap(*target.expr);
  const Value value = expression(*assign.value);
  if (!target_ok || !value || !is_value(value)) return {};
  if (!assign.compound) warn_self_assignment(stmt.span, *target.expr, *value.expr);
  const Expr* promoted =
      assign.compound ? compound(assign, *target.expr, value) : assigned(*target.expr, value, *assign.value);
  if (!promoted) return {};
  return {arena_.make(Stmt{stmt.span, Assign{target.expr, assign.compound, assign.op, promoted}})};
}

}  // namespace kullback::lang
