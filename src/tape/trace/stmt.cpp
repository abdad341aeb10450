// Statements.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "base/error.hpp"
#include "base/place.hpp"
#include "base/stop.hpp"
#include "lang/visit.hpp"
#include "math/distribution.hpp"
#include "math/elementwise.hpp"
#include "tape/higher_order/higher_order.hpp"
#include "tape/trace/tracer.hpp"
#include "tape/trace/value_text.hpp"

namespace kullback::tape {

using lang::Expr;
using lang::Stmt;
using math::Kind;

Tracer::Tracer(const lang::Program& program, const SourceMap& sources, Builder& builder, TraceOptions options,
               Random* random)
    : program_(program),
      sources_(sources),
      builder_(builder),
      options_(options),
      random_(random),
      globals_(program.variable_count),
      nan_(builder.constant(std::numeric_limits<double>::quiet_NaN())) {}

Value& Tracer::place(const lang::Variable& variable) {
  return frames_.empty() ? globals_[variable.id] : frames_.back()->operator[](variable.id);
}

void Tracer::set(const lang::Variable& variable, Value value) { place(variable) = std::move(value); }

const Value& Tracer::get(const lang::Variable& variable) const { return globals_[variable.id]; }

void Tracer::refuse(const std::string& message) const { throw Rejection{message, builder_.span()}; }

void Tracer::refuse_always(const std::string& message, const std::string& hint) const {
  throw Rejection{message, builder_.span(), builder_.guards().empty() ? hint : std::string()};
}

void Tracer::cannot_run(const Expr& expr, const std::string& what) const {
  throw Error(ErrorKind::bad_input, fmt::format("{}: {}", place_text(sources_, expr.span), what));
}

void Tracer::run(lang::BlockKind block) { run_rest(block, 0); }

void Tracer::run_statements(std::span<const Stmt* const> statements) {
  for (const Stmt* stmt : statements) {
    if (execute(*stmt) == Flow::return_) break;
  }
}

void Tracer::run_rest(lang::BlockKind block, std::size_t first) {
  run_statements(std::span(program_.block(block)).subspan(first));
  if (block != lang::BlockKind::model) check_constraints(block);
}

Tracer::Flow Tracer::execute_all(lang::List<const Stmt*> statements) {
  for (const Stmt* stmt : statements) {
    if (const Flow flow = execute(*stmt); flow != Flow::next) return flow;
  }
  return Flow::next;
}

Tracer::Flow Tracer::execute(const Stmt& stmt) {
  stop_if_asked();
  builder_.set_span(stmt.span);
  if (hook_ != nullptr && frames_.empty() && hook_->take(stmt)) return Flow::next;
  if (const auto* n = stmt.as<lang::Assign>()) {
    if (assign_quick(*n)) return Flow::next;
    Value value = eval(*n->value);
    if (n->compound) {
      const Expr result{stmt.span, n->target->type, false, lang::Target{}};
      value = combine(result, n->op, eval(*n->target), value);
    }
    assign(*n->target, std::move(value));
  } else if (const auto* d = stmt.as<lang::Declare>()) {
    declare(*d);
  } else if (const auto* t = stmt.as<lang::Tilde>()) {
    execute_tilde(*t, stmt);
  } else if (const auto* plus = stmt.as<lang::TargetPlus>()) {
    add_to_target(eval(*plus->value));
  } else if (const auto* jacobian = stmt.as<lang::JacobianPlus>()) {
    const Value value = eval(*jacobian->value);
    if (options_.jacobian) add_to_target(value);
  } else if (const auto* c = stmt.as<lang::CallStmt>()) {
    eval(*c->call);
  } else if (const auto* i = stmt.as<lang::If>()) {
    return execute_if(*i);
  } else if (const auto* f = stmt.as<lang::For>()) {
    return execute_for(*f);
  } else if (const auto* e = stmt.as<lang::ForEach>()) {
    return execute_for_each(*e);
  } else if (const auto* w = stmt.as<lang::While>()) {
    return execute_while(*w);
  } else if (const auto* b = stmt.as<lang::Block>()) {
    return execute_all(b->statements);
  } else if (const auto* p = stmt.as<lang::Profile>()) {
    return execute_all(p->statements);
  } else if (const auto* r = stmt.as<lang::Return>()) {
    if (r->value != nullptr) returned_ = tagged(eval(*r->value), builder_.control());
    return Flow::return_;
  } else if (stmt.as<lang::Break>() != nullptr) {
    return Flow::break_;
  } else if (stmt.as<lang::Continue>() != nullptr) {
    return Flow::continue_;
  } else if (stmt.as<lang::Print>() != nullptr) {
    if (hook_ != nullptr && !frames_.empty()) hook_->take(stmt);
  } else if (const auto* reject = stmt.as<lang::Reject>()) {
    refuse(text_of(reject->items));
  } else if (const auto* fatal = stmt.as<lang::FatalError>()) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: fatal_error: {}", place_text(sources_, stmt.span), text_of(fatal->items)));
  }
  return Flow::next;
}

Tracer::Flow Tracer::execute_if(const lang::If& node) {
  const lang::If* branch = &node;
  const Stmt* taken = nullptr;
  RowTag tag;
  for (;;) {
    taken = branch->yes;
    if (eval_int(*branch->condition, &tag) != 0) break;
    taken = branch->no;
    if (taken == nullptr) break;
    const auto* next = taken->as<lang::If>();
    if (next == nullptr) break;
    branch = next;
  }
  if (!tag.none()) return execute_controlled(node, taken, tag);
  return taken == nullptr ? Flow::next : execute(*taken);
}

// In place where nothing else shares the number of the last iteration.
void Tracer::set_loop_variable(Value& place, int i, RowTag tag) const {
  if (place.ints.use_count() == 1 && place.dims.empty() && !place.tags && !builder_.tracks_rows()) {
    place.ints->front() = i;
  } else {
    place = int_result(i, tag);
  }
}

Tracer::Flow Tracer::execute_for(const lang::For& node) {
  RowTag first;
  RowTag last;
  const int low = eval_int(*node.low, &first);
  const int high = eval_int(*node.high, &last);
  const RowTag outer = builder_.control();
  const RowTag bounds = join(first, last);
  if (!bounds.none()) builder_.set_control(join(outer, bounds));
  const RowTag inner = builder_.control();
  for (std::int64_t i = low; i <= high; ++i) {  // which passes the largest int
    set_loop_variable(place(*node.variable), static_cast<int>(i), first);
    const Flow flow = execute(*node.body);
    if (flow == Flow::break_) break;
    if (flow == Flow::return_) return flow;
    end_iteration(*node.body, inner);
  }
  end_loop({*node.body, node.variable, outer, bounds});
  return Flow::next;
}

Tracer::Flow Tracer::execute_for_each(const lang::ForEach& node) {
  const Value container = eval(*node.container);
  const bool array = container.array_rank() > 0;
  const std::size_t count = array ? container.dims.front() : container.size();
  const RowTag outer = builder_.control();
  scope_->enter(node);
  for (std::size_t i = 0; i < count; ++i) {
    if (array) {
      const Selection one{true, {i}};
      place(*node.variable) = take(container, select(container, {&one, 1}));
    } else {
      place(*node.variable) = real_value((*container.ids)[i]);
    }
    const Flow flow = execute(*node.body);
    if (flow == Flow::break_) break;
    if (flow == Flow::return_) return flow;
    end_iteration(*node.body, outer);
  }
  end_loop({*node.body, node.variable, outer, {}});
  return Flow::next;
}

Tracer::Flow Tracer::execute_while(const lang::While& node) {
  const RowTag outer = builder_.control();
  RowTag conditions;
  while (eval_int(*node.condition, &conditions) != 0) {
    const RowTag inner = join(builder_.control(), conditions);
    builder_.set_control(inner);
    const Flow flow = execute(*node.body);
    if (flow == Flow::break_) break;
    if (flow == Flow::return_) return flow;
    end_iteration(*node.body, inner);
  }
  end_loop({*node.body, nullptr, outer, conditions});
  return Flow::next;
}

// ---- assignment ----

namespace {

void copy_into(Value& to, const std::vector<std::size_t>& positions, const Value& from) {
  if (to.ints) {
    for (std::size_t i = 0; i < positions.size(); ++i) {
      if (is_gap(from, i)) {
        set_gap(to, positions[i]);
      } else {
        set_int(to, positions[i], (*from.ints)[i]);
      }
    }
    if (to.tags || from.tags) {
      std::vector<RowTag>& tags = change_tags(to);
      for (std::size_t i = 0; i < positions.size(); ++i) tags[positions[i]] = int_tag(from, i);
    }
  } else if (to.parts) {
    std::vector<Value>& parts = change_parts(to);
    for (std::size_t i = 0; i < positions.size(); ++i) {
      parts[positions[i]] = from.type.array_rank == 0 ? from : (*from.parts)[i];
    }
  } else {
    const std::size_t width = to.type.is_complex() ? 2 : 1;
    Ids& ids = change_ids(to);
    for (std::size_t i = 0; i < positions.size(); ++i) {
      for (std::size_t w = 0; w < width; ++w) ids[positions[i] * width + w] = (*from.ids)[i * width + w];
    }
  }
}

}  // namespace

void Tracer::assign(const Expr& target, Value value) {
  if (const auto* tuple = target.as<lang::TupleLiteral>()) {
    for (std::size_t i = 0; i < tuple->elements.size(); ++i) assign(*tuple->elements[i], (*value.parts)[i]);
    return;
  }
  value = tagged(std::move(value), builder_.control());
  // The way from the variable to what is assigned, outermost first: indexings and tuple slots.
  std::vector<const Expr*> steps;
  const Expr* root = &target;
  while (root->as<lang::VariableRef>() == nullptr) {
    steps.push_back(root);
    const auto* get = root->as<lang::TupleGet>();
    root = get != nullptr ? get->base : root->as<lang::Indexed>()->base;
  }
  std::reverse(steps.begin(), steps.end());
  const lang::Variable& variable = *root->as<lang::VariableRef>()->variable;
  Value* at = &place(variable);
  std::size_t s = 0;
  while (s < steps.size()) {
    if (const auto* get = steps[s]->as<lang::TupleGet>()) {
      at = &change_parts(*at)[static_cast<std::size_t>(get->slot - 1)];
      ++s;
      continue;
    }
    // Consecutive indexings are one: x[1][2] is x[1, 2] (only the last may keep several).
    std::vector<Selection> selections;
    for (; s < steps.size() && steps[s]->as<lang::Indexed>() != nullptr; ++s) {
      for (const lang::Index& index : steps[s]->as<lang::Indexed>()->indices) {
        selections.push_back(selection(index, *at, selections.size(), *root));
      }
    }
    const Selected selected = select(*at, selections);
    if (s < steps.size()) {  // into a tuple of an array of tuples
      at = &change_parts(*at)[selected.positions.front()];
      continue;
    }
    if (selected.dims != value.dims && (!selected.positions.empty() || value.size() != 0)) {
      refuse_always(fmt::format("{} has {}, but the value assigned to it has {}.", name_of(target),
                                dims_text(selected.dims), dims_text(value.dims)),
                    "Both sides of an assignment must have the same size.");
    }
    if (!selected.tags.empty()) value = tagged(std::move(value), selected.tags);
    copy_into(*at, selected.positions, value);
    return;
  }
  if (at->is_set() && at->dims != value.dims) {
    refuse_always(fmt::format("{} has {}, but the value assigned to it has {}.", name_of(target),
                              dims_text(at->dims), dims_text(value.dims)),
                  "Both sides of an assignment must have the same size.");
  }
  value.type = at->is_set() ? at->type : value.type;
  *at = std::move(value);
}

// ---- target ----

void Tracer::add_to_target(const Value& value) {
  if (value.parts) {
    for (const Value& part : *value.parts) add_to_target(part);
    return;
  }
  for (const Id id : reals(value)) builder_.add_target(id);
}

void Tracer::execute_tilde(const lang::Tilde& node, const Stmt& stmt) {
  if (node.user == nullptr && find_higher_order(node.function) != nullptr) {
    std::vector<const Expr*> all{node.variate};
    all.insert(all.end(), node.arguments.begin(), node.arguments.end());
    const lang::Call call{node.function, nullptr, all, true};
    add_to_target(call_higher_order(*this, Expr{stmt.span, node.variate->type, false, call}, call));
    return;
  }
  std::vector<const Expr*> written{node.variate};
  written.insert(written.end(), node.arguments.begin(), node.arguments.end());
  std::vector<Value> arguments;
  for (const Expr* argument : written) {
    arguments.push_back(eval(*argument));
    check_set(arguments.back(), *argument);
  }
  builder_.set_span(stmt.span);
  if (node.user != nullptr) {
    add_to_target(call_user(*node.user, arguments, {written, true}));
  } else {
    Value result;
    if (!call_density(node.function, arguments, terms_of(&node, written, true), result)) {
      const Expr at{stmt.span, node.variate->type, false, lang::Target{}};
      cannot_run(at, fmt::format("'{}' is not supported by this version's engine.", node.function));
    }
    add_to_target(result);
  }
  if (node.truncated) truncate(node, arguments);
}

std::string Tracer::text_of(lang::List<const Expr*> items) {
  std::string text;
  for (const Expr* item : items) {
    if (const auto* s = item->as<lang::StringConstant>()) {
      text += s->text;
      continue;
    }
    append_text(eval(*item), builder_, text);
  }
  return text;
}

}  // namespace kullback::tape
