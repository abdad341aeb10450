// Which rows of the data decide a value, beside the rows it is computed from: rows of an index, and rows of
// the condition under which it is assigned. A condition on row n also decides the values that the branch not
// taken would have assigned, and what stands behind a jump (break, continue, return).
#include <fmt/format.h>

#include <array>
#include <set>

#include "base/error.hpp"
#include "base/place.hpp"
#include "lang/visit.hpp"
#include "tape/trace/tracer.hpp"

namespace kullback::tape {

using lang::Stmt;

namespace {

template <class... Kinds>
bool contains(const Stmt& stmt) {
  bool found = false;
  lang::for_each_stmt(stmt, [&](const Stmt& below) { found |= (... || (below.as<Kinds>() != nullptr)); });
  return found;
}

const lang::Variable& root_of(const lang::Expr& target) {
  const lang::Expr* root = &target;
  while (root->as<lang::VariableRef>() == nullptr) {
    const auto* get = root->as<lang::TupleGet>();
    root = get != nullptr ? get->base : root->as<lang::Indexed>()->base;
  }
  return *root->as<lang::VariableRef>()->variable;
}

using Variables = std::set<const lang::Variable*>;

// Variables that a statement declares or assigns: their values inside it are not known outside.
Variables changed_in(const Stmt& stmt) {
  Variables changed;
  lang::for_each_stmt(stmt, [&](const Stmt& below) {
    if (const auto* d = below.as<lang::Declare>()) changed.insert(d->variable);
    if (const auto* f = below.as<lang::For>()) changed.insert(f->variable);
    if (const auto* e = below.as<lang::ForEach>()) changed.insert(e->variable);
    if (const auto* a = below.as<lang::Assign>();
        a != nullptr && a->target->as<lang::TupleLiteral>() == nullptr)
      changed.insert(&root_of(*a->target));
  });
  return changed;
}

Variables declared_in(const Stmt& stmt) {
  Variables declared;
  lang::for_each_stmt(stmt, [&](const Stmt& below) {
    if (const auto* d = below.as<lang::Declare>()) declared.insert(d->variable);
  });
  return declared;
}

bool is_size(std::string_view name) {
  return name == "size" || name == "num_elements" || name == "rows" || name == "cols" || name == "dims";
}

}  // namespace

RowTag Tracer::tag_of(const Value& value) const {
  if (!builder_.tracks_rows()) return {};
  RowTag all;
  if (value.tags) {
    for (const RowTag tag : *value.tags) all = join(all, tag);
  }
  if (value.ids) all = join(all, builder_.tag(*value.ids));
  if (value.parts) {
    for (const Value& part : *value.parts) all = join(all, tag_of(part));
  }
  return all;
}

Value Tracer::tagged(Value value, RowTag tag) {
  if (tag.none() || !builder_.tracks_rows()) return value;
  return tagged(std::move(value), std::vector<RowTag>{tag});
}

// One tag for each number, or one for all.
Value Tracer::tagged(Value value, const std::vector<RowTag>& tags) {
  if (tags.empty() || !builder_.tracks_rows()) return value;
  const auto tag_at = [&](std::size_t i) { return tags[tags.size() == 1 ? 0 : i]; };
  if (value.ints) {
    std::vector<RowTag>& own = change_tags(value);
    for (std::size_t i = 0; i < own.size(); ++i) own[i] = builder_.normalized(join(own[i], tag_at(i)));
  } else if (value.ids) {
    std::vector<RowTag> wide = tags;
    if (value.type.is_complex() && tags.size() > 1) {
      wide.clear();
      for (const RowTag tag : tags) wide.insert(wide.end(), 2, tag);
    }
    change_ids(value) = builder_.tagged(*value.ids, wide);
  } else if (value.parts) {
    std::vector<Value>& parts = change_parts(value);
    const bool array = value.type.array_rank > 0;
    for (std::size_t i = 0; i < parts.size(); ++i)
      parts[i] = tagged(std::move(parts[i]), array ? tag_at(i) : tags.front());
  }
  return value;
}

Value Tracer::tagged_like(const Ids& numbers, Value ints) {
  if (!builder_.tracks_rows()) return ints;
  std::vector<RowTag> tags;
  tags.reserve(numbers.size());
  for (const Id id : numbers) tags.push_back(builder_.tag(id));
  return tagged(std::move(ints), tags);
}

RowTag Tracer::tag_of_data(const Value& value) const {
  RowTag all;
  if (value.tags) {
    for (const RowTag tag : *value.tags) all = join(all, tag);
  }
  if (value.ids) {
    for (const Id id : *value.ids) all = is_constant(id) ? join(all, builder_.tag(id)) : all;
  }
  if (value.parts) {
    for (const Value& part : *value.parts) all = join(all, tag_of_data(part));
  }
  return all;
}

// Numbers that depend on parameters are read through the tape, which knows their rows.
Value Tracer::of_one_row(std::string_view name, std::span<const Value> arguments, Value result) {
  if (!builder_.tracks_rows()) return result;
  RowTag all;
  RowTag data;
  for (const Value& argument : arguments) {
    all = join(all, tag_of(argument));
    data = join(data, tag_of_data(argument));
  }
  if (data.several()) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: no minibatches: rows {} and {} of the data meet in '{}', whose numbers are "
                            "not followed row by row.",
                            place_text(sources_, builder_.span()), data.low + 1, data.high + 1, name),
                "call it with the data of one row at a time, in a loop over rows");
  }
  return all.single() ? tagged(std::move(result), all) : result;
}

Value Tracer::int_result(int number, RowTag tag) const {
  Value value = int_value(number);
  if (builder_.tracks_rows() && !tag.none()) change_tags(value)[0] = builder_.normalized(tag);
  return value;
}

// Functions that move numbers keep the rows of reals; here are those of ints, and of the ints that say where
// or how many.
void Tracer::tag_structural(std::string_view name, std::span<const Value> arguments, Value& result) {
  RowTag numbers;
  RowTag places;
  for (const Value& argument : arguments) {
    numbers = join(numbers, tag_of(argument));
    if (argument.ints && argument.dims.empty()) places = join(places, int_tag(argument, 0));
  }
  if (is_size(name)) {
    if (sizes_are_tagged_) result = tagged(std::move(result), numbers);
    return;
  }
  if (!result.ints) {
    result = tagged(std::move(result), places);
    return;
  }
  const bool known = result.tags && result.tags->size() == result.ints->size();
  result = tagged(std::move(result), known ? places : numbers);
}

Tracer::Flow Tracer::execute_controlled(const lang::If& node, const Stmt* taken, RowTag tag) {
  const RowTag outer = builder_.control();
  builder_.set_control(join(outer, tag));
  const Flow flow = taken == nullptr ? Flow::next : execute(*taken);
  bool jumps = false;
  for (const Stmt* branch : {node.yes, node.no}) {
    if (branch == nullptr) continue;
    tag_assigned(*branch, tag);
    jumps |= contains<lang::Break, lang::Continue, lang::Return>(*branch);
  }
  if (!jumps) builder_.set_control(outer);
  return flow;
}

// The places that an assignment would change, as far as its indexes are known here; else all along their
// dimension.
std::vector<RowTag> Tracer::tags_of_assigned(const lang::Expr& target, const Value& value, RowTag tag,
                                             const std::set<const lang::Variable*>& changed) {
  const auto* indexed = target.as<lang::Indexed>();
  if (indexed == nullptr || indexed->base->as<lang::VariableRef>() == nullptr) return {tag};
  const auto is_known = [&](const lang::Index& index) {
    bool known = true;
    for (const lang::Expr* part : {index.low, index.high}) {
      if (part == nullptr) continue;
      lang::for_each_expr(*part, [&](const lang::Expr& e) {
        const auto* ref = e.as<lang::VariableRef>();
        known &= ref == nullptr || (changed.count(ref->variable) == 0 && eval(e).is_set());
      });
    }
    return known;
  };
  try {
    std::vector<Selection> selections;
    for (const lang::Index& index : indexed->indices) {
      const std::size_t d = selections.size();
      if (is_known(index)) {
        selections.push_back(selection(index, value, d, *indexed->base));
      } else {
        Selection all;
        for (std::size_t i = 0; i < value.dims.at(d); ++i) all.at.push_back(i);
        selections.push_back(std::move(all));
      }
    }
    std::vector<RowTag> tags(value.parts ? value.parts->size() : value.size());
    for (const std::size_t at : select(value, selections).positions) tags[at] = tag;
    return tags;
  } catch (const Rejection&) {  // an index that only the branch makes valid
    return {tag};
  }
}

void Tracer::tag_assigned(const Stmt& stmt, RowTag tag, const lang::Variable* unknown) {
  if (tag.none()) return;
  Variables changed = changed_in(stmt);
  if (unknown != nullptr) changed.insert(unknown);
  const Variables declared = declared_in(stmt);
  lang::for_each_stmt(stmt, [&](const Stmt& below) {
    const auto* assign = below.as<lang::Assign>();
    if (assign == nullptr) return;
    std::vector<const lang::Expr*> targets{assign->target};
    if (const auto* tuple = assign->target->as<lang::TupleLiteral>())
      targets.assign(tuple->elements.begin(), tuple->elements.end());
    for (const lang::Expr* target : targets) {
      const lang::Variable& variable = root_of(*target);
      if (declared.count(&variable) > 0) continue;
      Value& value = place(variable);
      if (!value.is_set()) continue;
      const std::vector<RowTag> tags = tags_of_assigned(*target, value, tag, changed);
      value = tagged(value, tags);
    }
  });
}

void Tracer::end_iteration(const Stmt& body, RowTag before) {
  if (builder_.control() == before) return;
  tag_assigned(body, builder_.control());  // what a jump may have left out
  if (!contains<lang::Break, lang::Return>(body)) builder_.set_control(before);
}

void Tracer::end_loop(const Loop& loop) {
  tag_assigned(loop.body, loop.bounds, loop.variable);
  if (builder_.control() == loop.before) return;
  tag_assigned(loop.body, builder_.control(), loop.variable);
  if (!contains<lang::Return>(loop.body)) builder_.set_control(loop.before);
}

}  // namespace kullback::tape
