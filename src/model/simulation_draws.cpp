// One statement x ~ f(a) of a program whose joint density is the product of such factors, where x must lie in
// its declared set B (bounds, an order). The program's density is f(x | a) on B, not divided by the mass m(a)
// of B. Drawing x again until it lies in B divides by m(a): this is right where m is the same for all draws,
// that is where a and B are fixed, where B is an order and the elements are exchangeable (m = 1 / K!), and
// where B is half of the line on one side of the centre of a symmetric density (m = 1 / 2). Elsewhere the
// whole draw begins again, which keeps the joint density. A truncation T[L, U] does divide by its mass: x is
// drawn again.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/place.hpp"
#include "base/random.hpp"
#include "math/multivariate_random.hpp"
#include "model/simulation_engine.hpp"

namespace kullback::model {

using lang::Constraint;
using tape::Value;

namespace {

constexpr int kTriesToDraw = 200;      // of one item, before a draw by inversion
constexpr int kMostTries = 1'000'000;  // of one item
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double at(const std::vector<double>& bound, std::size_t i, double absent) {
  return bound.empty() ? absent : bound[i % bound.size()];
}

bool must_be_ordered(const RandomVariable& variable) {
  const Constraint constraint = variable.variable->declared->constraint;
  return variable.is_parameter &&
         (constraint == Constraint::ordered || constraint == Constraint::positive_ordered);
}

std::vector<double> reals(tape::Tracer& tracer, const Value& value) {
  std::vector<double> numbers;
  for (const tape::Id id : tracer.reals(value)) numbers.push_back(tracer.builder().value(id));
  return numbers;
}

void set_number(Value& value, std::size_t position, double x, tape::Builder& builder) {
  if (value.ints) {
    tape::set_int(value, position, static_cast<int>(x));
  } else {
    tape::change_ids(value)[position] = builder.constant(x);
  }
}

}  // namespace

struct SimulationEngine::Task {
  const Sampling& sampling;
  RandomVariable& variable;
  std::vector<std::size_t> positions = {};
  std::vector<double> lower = {};  // of a truncation
  std::vector<double> upper = {};
  Bounds bounds = {};
  VariateDraws* draws = nullptr;
  std::vector<double> numbers = {};
};

bool SimulationEngine::Bounds::contain(double x, std::size_t position) const {
  return x >= at(lower, position, -kInfinity) && x <= at(upper, position, kInfinity);
}

SimulationEngine::Bounds SimulationEngine::bounds_of(const RandomVariable& variable) {
  const lang::SizedType& type = *variable.variable->declared;
  Bounds bounds;
  if (!variable.is_parameter) return bounds;  // a demand on the file, no part of the density
  if (type.constraint == Constraint::positive_ordered) bounds.lower = {0.0};
  if (type.constraint != Constraint::bounds) return bounds;
  const auto evaluate = [&](const lang::Expr* expr, std::vector<double>& numbers) {
    if (expr == nullptr) return;
    require_ready(*expr);
    bounds.fixed = bounds.fixed && is_fixed(*expr);
    numbers = reals(tracer_, tracer_.eval(*expr));
  };
  evaluate(type.lower, bounds.lower);
  evaluate(type.upper, bounds.upper);
  return bounds;
}

// ---- parameters without a statement: flat on a bounded set ----

void SimulationEngine::draw_default(RandomVariable& variable) {
  if (variable.drawn_by.empty() ||
      std::find(variable.drawn_by.begin(), variable.drawn_by.end(), nullptr) == variable.drawn_by.end())
    return;
  const Constraint constraint = variable.variable->declared->constraint;
  const std::size_t size = variable.known.size();
  if (constraint == Constraint::bounds) {
    const Bounds bounds = bounds_of(variable);
    for (std::size_t i = 0; i < size; ++i) {
      if (variable.drawn_by[i] != nullptr) continue;
      const double lower = at(bounds.lower, i, -kInfinity);
      const double upper = at(bounds.upper, i, kInfinity);
      if (!(lower < upper) || !std::isfinite(upper - lower)) {
        refuse_simulation(prepared_.sources, variable.variable->span,
                          fmt::format("'{}' has no distribution, and is not bounded on both sides: {} to {}.",
                                      variable.variable->name, lower, upper),
                          "Give it one in the model block.");
      }
      set_number(variable.current, i, lower + (upper - lower) * random_->uniform(), builder_);
    }
    return;
  }
  const tape::Dims& dims = variable.current.dims;
  const std::size_t rows = dims.back();
  const std::size_t item = constraint == Constraint::corr_matrix ? rows * rows : rows;
  for (std::size_t first = 0; first < size; first += item) {
    std::vector<double> x(item);
    if (constraint == Constraint::simplex) {
      x = math::draw_dirichlet(*random_, std::vector<double>(item, 1.0));
    } else if (constraint == Constraint::corr_matrix) {
      x = math::draw_lkj_corr(*random_, rows, 1.0);
    } else {  // a unit vector
      double square = 0;
      for (double& number : x) {
        number = random_->normal();
        square += number * number;
      }
      for (double& number : x) number /= std::sqrt(square);
    }
    for (std::size_t i = 0; i < item; ++i) set_number(variable.current, first + i, x[i], builder_);
  }
}

// ---- statements ----

void SimulationEngine::draw_sampling(const Sampling& sampling) {
  builder_.set_span(sampling.stmt->span);
  RandomVariable& variable = *find(*sampling.variable);
  Task task{sampling, variable};
  task.bounds = bounds_of(variable);
  std::vector<Value> arguments;
  for (const lang::Expr* argument : sampling.arguments) {
    require_ready(*argument);
    arguments.push_back(tracer_.eval(*argument));
    task.bounds.fixed = task.bounds.fixed && is_fixed(*argument);
  }
  for (const auto& [expr, numbers] :
       {std::pair{sampling.lower, &task.lower}, std::pair{sampling.upper, &task.upper}}) {
    if (expr == nullptr) continue;
    require_ready(*expr);
    *numbers = reals(tracer_, tracer_.eval(*expr));
    task.bounds.fixed = task.bounds.fixed && is_fixed(*expr);
  }
  for (const lang::Expr* index : indices_of(*sampling.variate)) require_ready(*index);
  const Value chosen = choose(variable, *sampling.variate);
  task.positions = read_positions(chosen, builder_);
  std::vector<double> given;
  for (const std::size_t position : task.positions) {
    if (variable.known[position] != 0) {
      refuse_simulation(prepared_.sources, sampling.stmt->span,
                        fmt::format("whether '{}' has this distribution depends on parameters.",
                                    prepared_.sources.text(sampling.variate->span)));
    }
    if (!variable.is_parameter)
      given.push_back(variable.start.ints ? (*variable.start.ints)[position]
                                          : builder_.value((*variable.start.ids)[position]));
  }
  VariateDraws draws(tracer_, sampling, std::move(arguments), chosen, given);
  task.draws = &draws;
  draw_items(task);
  if (must_be_ordered(variable)) sort_items(task);
  store(task);
}

void SimulationEngine::draw_items(Task& task) {
  VariateDraws& draws = *task.draws;
  const std::size_t size = draws.item_size();
  for (std::size_t item = 0; item < draws.items(); ++item) {
    const std::size_t first = item * size;
    const auto is_truncated = [&](const std::vector<double>& x) {
      return !(x[0] >= at(task.lower, item, -kInfinity) && x[0] <= at(task.upper, item, kInfinity));
    };
    const auto is_inside = [&](const std::vector<double>& x) {
      for (std::size_t i = 0; i < size; ++i) {
        if (!task.bounds.contain(x[i], task.positions[first + i])) return false;
      }
      return true;
    };
    const auto has_fixed_mass = [&] {
      if (task.bounds.fixed) return true;
      if (!draws.is_univariate() || !task.lower.empty() || !task.upper.empty()) return false;
      const double lower = at(task.bounds.lower, task.positions[first], -kInfinity);
      const double upper = at(task.bounds.upper, task.positions[first], kInfinity);
      return std::isinf(lower) != std::isinf(upper) &&
             draws.is_symmetric_about(std::isinf(lower) ? upper : lower, item);
    };
    // The bounds count where the mass inside does not depend on the draw.
    const auto invert = [&](std::vector<double>& drawn) {
      double lower = at(task.lower, item, -kInfinity);
      double upper = at(task.upper, item, kInfinity);
      if (has_fixed_mass()) {
        lower = std::max(lower, at(task.bounds.lower, task.positions[first], -kInfinity));
        upper = std::min(upper, at(task.bounds.upper, task.positions[first], kInfinity));
      }
      if (const auto inside = draws.draw_between(lower, upper, item)) drawn = {*inside};
    };
    std::vector<double> x;
    for (int tries = 0;; ++tries) {
      if (tries == kMostTries) {
        throw Error(ErrorKind::bad_input,
                    fmt::format("{}: {} draws in a row were outside the truncation or the bounds of '{}'.",
                                place_text(prepared_.sources, task.sampling.stmt->span), kMostTries,
                                task.variable.variable->name));
      }
      x = draws.draw(item);
      if (tries >= kTriesToDraw && draws.is_univariate()) invert(x);
      if ((!task.lower.empty() || !task.upper.empty()) && is_truncated(x)) continue;
      if (is_inside(x)) break;
      if (has_fixed_mass()) continue;
      throw Excluded{fmt::format("the bounds of '{}', drawn at {}.", task.variable.variable->name,
                                 place_text(prepared_.sources, task.sampling.stmt->span))};
    }
    task.numbers.insert(task.numbers.end(), x.begin(), x.end());
  }
}

// Exchangeable elements of whole vectors are ordered by sorting them.
void SimulationEngine::sort_items(Task& task) const {
  const std::size_t size = task.variable.current.dims.back();
  if (!task.draws->is_exchangeable() || task.lower.size() > 1 || task.upper.size() > 1) return;
  if (size == 0 || task.positions.size() % size != 0) return;
  for (std::size_t i = 0; i < task.positions.size(); ++i) {
    const std::size_t first = task.positions[i - i % size];
    if (first % size != 0 || task.positions[i] != first + i % size) return;
  }
  for (auto begin = task.numbers.begin(); begin != task.numbers.end();
       begin += static_cast<std::ptrdiff_t>(size))
    std::sort(begin, begin + static_cast<std::ptrdiff_t>(size));
}

// While the tracer holds the positions, the numbers are changed without a copy.
void SimulationEngine::store(Task& task) {
  RandomVariable& variable = task.variable;
  const std::size_t place = places_.at(variable.variable);
  tracer_.set(*variable.variable, variable.positions);
  for (std::size_t i = 0; i < task.positions.size(); ++i) {
    const std::size_t position = task.positions[i];
    if (variable.current.ints && !(std::abs(task.numbers[i]) <= std::numeric_limits<int>::max())) {
      tracer_.set(*variable.variable, variable.current);
      throw Excluded{fmt::format("{}, a draw of '{}' that is beyond the integers.", task.numbers[i],
                                 variable.variable->name)};
    }
    set_number(variable.current, position, task.numbers[i], builder_);
    variable.known[position] = 1;
    log_.push_back({place, position});
  }
  variable.unknown -= task.positions.size();
  tracer_.set(*variable.variable, variable.current);
  if (variable.is_complete() && must_be_ordered(variable)) check_order(variable);
}

void SimulationEngine::check_order(const RandomVariable& variable) {
  const std::size_t size = variable.current.dims.back();
  const std::vector<double> x = reals(tracer_, variable.current);
  for (std::size_t i = 1; i < x.size(); ++i) {
    if (i % size != 0 && !(x[i - 1] < x[i]))
      throw Excluded{fmt::format("the order of '{}'.", variable.variable->name)};
  }
}

}  // namespace kullback::model
