// What a program demands of its own values: constraints of transformed data, transformed parameters and
// generated quantities, once their block has run; arguments inside the domain of a distribution; ints that
// were set.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

#include "lang/transform_of.hpp"
#include "math/distribution.hpp"
#include "math/violation_text.hpp"
#include "tape/trace/constraint_check.hpp"
#include "tape/trace/tracer.hpp"

namespace kullback::tape {

using lang::BlockKind;
using lang::Constraint;
using lang::SizedType;
using math::Kind;

namespace {

std::string_view role_of(BlockKind block) {
  switch (block) {
    case BlockKind::transformed_data: return "transformed data variable";
    case BlockKind::transformed_parameters: return "transformed parameter";
    default: return "generated quantity";
  }
}

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

std::vector<double> values_of(const Builder& builder, const Ids& ids) {
  std::vector<double> numbers(ids.size());
  std::transform(ids.begin(), ids.end(), numbers.begin(), [&](Id id) { return builder.value(id); });
  return numbers;
}

bool varies(const Ids& ids) { return !std::all_of(ids.begin(), ids.end(), is_constant); }

std::optional<double> single_constant(const Builder& builder, const Ids& ids) {
  if (ids.size() != 1 || !is_constant(ids.front())) return {};
  return builder.value(ids.front());
}

// Bounds that no value of these functions can leave need no check at each draw.
bool cannot_fail(const Builder& builder, const SizedType& type, const Ids& ids,
                 const std::vector<Ids>& bounds) {
  if (type.constraint != Constraint::bounds) return false;
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  std::size_t next = 0;
  for (const auto& [expression, limit] : {std::pair{type.lower, &lower}, std::pair{type.upper, &upper}}) {
    if (expression == nullptr) continue;
    const std::optional<double> bound = single_constant(builder, bounds[next++]);
    if (!bound) return false;
    *limit = *bound;
  }
  return always_within(builder, ids, lower, upper);
}

}  // namespace

void Tracer::check_constraints(BlockKind block) {
  for (const lang::Stmt* stmt : program_.block(block)) {
    const auto* declare = stmt->as<lang::Declare>();
    if (declare == nullptr) continue;
    builder_.set_span(stmt->span);
    const lang::Variable& variable = *declare->variable;
    check_constraint(*variable.declared, globals_[variable.id],
                     fmt::format("{} '{}", role_of(block), variable.name));
  }
}

// `subject` is a name with its opening quote: "transformed parameter 'sigma".
void Tracer::check_constraint(const SizedType& type, const Value& value, const std::string& subject) {
  if (type.type->kind == Kind::tuple) {
    if (value.type.array_rank > 0) {
      for (std::size_t i = 0; i < value.parts->size(); ++i) {
        check_constraint(type, (*value.parts)[i], fmt::format("{}[{}]", subject, i + 1));
      }
    } else {
      for (std::size_t s = 0; s < type.elements.size(); ++s) {
        check_constraint(*type.elements[s], (*value.parts)[s], fmt::format("{}.{}", subject, s + 1));
      }
    }
    return;
  }
  if (type.constraint == Constraint::none || type.constraint == Constraint::offset_multiplier) return;
  const math::Shape shape = shape_of(type, value.dims);
  if (shape.size() == 0) return;
  const math::TransformDef& transform = lang::transform_of(type);
  std::vector<Ids> operands{reals(value)};
  for (const lang::Expr* bound : lang::transform_bounds(type)) {
    operands.push_back(reals(eval(*bound)));
    const std::size_t size = operands.back().size();
    if (size != 1 && size != shape.rows * shape.cols && size != shape.size()) {
      refuse(fmt::format("{}' has {} numbers, but its bound has {}.", subject, shape.size(), size));
    }
  }
  std::vector<std::vector<double>> dense;
  std::vector<math::DenseArgument> arguments;
  std::vector<math::Shape> shapes;
  for (const Ids& ids : operands) {
    dense.push_back(values_of(builder_, ids));
    shapes.push_back(shapes.empty() ? shape : math::Shape{ids.size(), 1, 1});
    arguments.push_back({dense.back().data(), shapes.back(), false});
  }
  const auto violation =
      math::find_violation(transform, {shape, std::span(arguments).subspan(1), arguments.front().data});
  if (violation) {
    const std::string index =
        math::violation_index(*violation, std::span(value.dims).first(value.array_rank()), type.type->kind);
    std::string message = fmt::format("{}{}' {}", subject, index, violation->what);
    if (violation->count > 1) message += fmt::format(" (the first of {})", violation->count);
    refuse(message);
  }
  if (std::none_of(operands.begin(), operands.end(), varies)) return;
  const std::vector<Ids> bounds(operands.begin() + 1, operands.end());
  if (cannot_fail(builder_, type, operands.front(), bounds)) return;
  math::Shape result;
  builder_.add_target(builder_.array_op(constraint_check(transform), {}, operands, shapes, &result).front());
}

// ---- distributions ----

void Tracer::check_domain(const math::Distribution& distribution, std::string_view suffix,
                          std::span<const Value> arguments) {
  std::vector<Ids> operands;
  std::size_t count = 1;
  for (const Value& argument : arguments) {
    operands.push_back(reals(argument));
    if (!argument.dims.empty()) count = argument.size();
  }
  std::array<double, 16> x{};
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < operands.size(); ++j) {
      x[j] = builder_.value(operands[j][operands[j].size() == 1 ? 0 : i]);
    }
    const std::string problem = math::describe_bad_argument(distribution, suffix, x.data());
    if (problem.empty()) continue;
    const std::string where =
        count == 1 ? problem : fmt::format("{} (element {} of {})", problem, i + 1, count);
    bool is_known = false;  // whatever the parameters are
    for (std::size_t j = suffix.ends_with("cdf") ? 1 : 0; j < operands.size(); ++j) {
      const Id id = operands[j][operands[j].size() == 1 ? 0 : i];
      is_known = is_known || (is_constant(id) && !math::contains(distribution.arguments[j].domain, x[j]));
    }
    if (!is_known) refuse(where);
    refuse_always(fmt::format("{}, in '{}'.", where, statement_text()),
                  "The value does not depend on parameters: correct the data or the program. Stan has no "
                  "missing values; leave such rows out.");
  }
}

std::string Tracer::statement_text() const {
  constexpr std::size_t kMost = 60;
  std::string text(sources_.text(builder_.span()));
  text.erase(std::unique(text.begin(), text.end(), [](char a, char b) { return is_space(a) && is_space(b); }),
             text.end());
  std::replace_if(text.begin(), text.end(), is_space, ' ');
  return text.size() <= kMost ? text : text.substr(0, kMost - 3) + "...";
}

// ---- ints ----

void Tracer::check_set(const Value& value, const lang::Expr& from) const {
  if (has_gaps(value)) refuse(fmt::format("{} is read before it is set.", name_of(from)));
}

std::string Tracer::name_of(const lang::Expr& expr) const {
  return fmt::format("'{}'", sources_.text(expr.span));
}

std::string dims_text(const Dims& dims) {
  return dims.empty() ? "no dimensions" : fmt::format("dimensions [{}]", fmt::join(dims, ", "));
}

}  // namespace kullback::tape
