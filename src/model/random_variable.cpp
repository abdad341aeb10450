#include "model/random_variable.hpp"

#include <algorithm>
#include <numeric>

#include "lang/visit.hpp"

namespace kullback::model {

using lang::BlockKind;
using tape::Value;

RandomVariable make_random_variable(const lang::Variable& variable, Value start, tape::Builder& builder) {
  RandomVariable made;
  made.variable = &variable;
  made.is_parameter = variable.block == BlockKind::parameters;
  made.positions = start;
  const std::size_t size = start.size();
  if (start.ints) {
    std::vector<int>& ints = tape::change_ints(made.positions);
    std::iota(ints.begin(), ints.end(), 0);
    made.positions.gaps = nullptr;
  } else {
    tape::Ids& ids = tape::change_ids(made.positions);
    for (std::size_t i = 0; i < size; ++i) ids[i] = builder.constant(static_cast<double>(i));
  }
  made.start = std::move(start);
  made.drawn_by.assign(size, nullptr);
  made.known.assign(size, 0);
  return made;
}

std::vector<std::size_t> read_positions(const Value& chosen, const tape::Builder& builder) {
  std::vector<std::size_t> positions;
  if (chosen.ints) {
    for (const int i : *chosen.ints) positions.push_back(static_cast<std::size_t>(i));
  } else {
    for (const tape::Id id : *chosen.ids) positions.push_back(static_cast<std::size_t>(builder.value(id)));
  }
  return positions;
}

namespace {

bool is_ordinary(const lang::Variable& variable) {
  if (variable.role == lang::Variable::Role::loop) return false;
  return variable.role != lang::Variable::Role::global || variable.block == BlockKind::transformed_parameters;
}

void add(std::vector<const lang::Variable*>& to, const lang::Variable& variable) {
  if (is_ordinary(variable) && std::find(to.begin(), to.end(), &variable) == to.end())
    to.push_back(&variable);
}

void add_targets(const lang::Expr& target, std::vector<const lang::Variable*>& writes) {
  if (const auto* tuple = target.as<lang::TupleLiteral>()) {
    for (const lang::Expr* element : tuple->elements) add_targets(*element, writes);
  } else if (const auto* get = target.as<lang::TupleGet>()) {
    add_targets(*get->base, writes);
  } else if (const auto* indexed = target.as<lang::Indexed>()) {
    add_targets(*indexed->base, writes);
  } else if (const auto* ref = target.as<lang::VariableRef>()) {
    add(writes, *ref->variable);
  }
}

bool meet(const std::vector<const lang::Variable*>& a, const std::vector<const lang::Variable*>& b) {
  return std::any_of(a.begin(), a.end(),
                     [&](const lang::Variable* v) { return std::find(b.begin(), b.end(), v) != b.end(); });
}

}  // namespace

Uses uses_of(const lang::Stmt& stmt) {
  Uses uses;
  lang::for_each_expr(stmt, [&](const lang::Expr& expr) {
    if (const auto* ref = expr.as<lang::VariableRef>()) add(uses.reads, *ref->variable);
  });
  lang::for_each_stmt(stmt, [&](const lang::Stmt& below) {
    if (const auto* assign = below.as<lang::Assign>()) add_targets(*assign->target, uses.writes);
    if (const auto* declare = below.as<lang::Declare>()) add(uses.writes, *declare->variable);
  });
  return uses;
}

bool conflict(const Uses& a, const Uses& b) {
  return meet(a.writes, b.reads) || meet(a.writes, b.writes) || meet(a.reads, b.writes);
}

}  // namespace kullback::model
