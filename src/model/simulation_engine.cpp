// Which variables are random, and the order of statements. A statement that reads what is not drawn yet is
// put off, together with those that must stay behind it; at the end of the list it is tried again. Blocks
// inside of loops are ordered in the same way, iterations are not.
#include "model/simulation_engine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/place.hpp"
#include "base/random.hpp"
#include "lang/visit.hpp"
#include "model/columns.hpp"
#include "model/values.hpp"

namespace kullback::model {

using lang::BlockKind;
using lang::Constraint;
using lang::Expr;
using lang::Stmt;
using tape::Value;

namespace {

constexpr int kMostPoints = 50;
constexpr int kMostDraws = 10'000;

// The variable of x[i], x[i][j]; null for other expressions, and where an index reads the variable itself.
const lang::Variable* indexed_variable(const Expr& expr) {
  const Expr* base = &expr;
  while (const auto* indexed = base->as<lang::Indexed>()) base = indexed->base;
  const auto* ref = base->as<lang::VariableRef>();
  if (ref == nullptr) return nullptr;
  for (const Expr* index : indices_of(expr)) {
    bool reads_itself = false;
    lang::for_each_expr(*index, [&](const Expr& part) {
      const auto* inner = part.as<lang::VariableRef>();
      reads_itself = reads_itself || (inner != nullptr && inner->variable == ref->variable);
    });
    if (reads_itself) return nullptr;
  }
  return ref->variable;
}

bool is_compound(const Stmt& stmt) {
  bool any = false;
  lang::for_each_child(stmt, [&](const Stmt&) { any = true; });
  return any;
}

}  // namespace

SimulationEngine::SimulationEngine(const Prepared& prepared)
    : prepared_(prepared),
      builder_(prepared.builder),
      tracer_(prepared.program, prepared.sources, builder_, {.jacobian = false}) {
  tracer_.set_values(prepared.values);
  collect();
  constants_ = builder_.constants().size();
  find_distributions();
  check_defaults();
  for (const BlockKind block : {BlockKind::transformed_parameters, BlockKind::model}) {
    const auto& statements = prepared.program.block(block);
    order_.insert(order_.end(), statements.begin(), statements.end());
  }
  Random random(0);
  draw(random);  // finds the order, and what stands against it
}

// ---- what is random ----

void SimulationEngine::collect() {
  std::unordered_set<const lang::Variable*> data;
  for (const Stmt* top : prepared_.program.block(BlockKind::model)) {
    lang::for_each_stmt(*top, [&](const Stmt& stmt) {
      std::vector<Sampling> samplings = samplings_of(stmt, prepared_.sources);
      for (const Sampling& sampling : samplings) {
        check_constraint(sampling);
        if (sampling.variable->block == BlockKind::data) data.insert(sampling.variable);
      }
      if (stmt.as<lang::Tilde>() != nullptr || stmt.as<lang::TargetPlus>() != nullptr)
        samplings_.emplace(&stmt, std::move(samplings));
    });
  }
  refuse_other_densities(prepared_.program, prepared_.sources, data);
  for (const BlockKind block : {BlockKind::parameters, BlockKind::data}) {
    for (const lang::Variable* variable : declared_in(prepared_.program, block)) {
      if (block == BlockKind::data && !data.contains(variable)) continue;
      if (variable->type->kind == math::Kind::tuple || variable->type->is_complex()) {
        refuse_simulation(prepared_.sources, variable->span,
                          fmt::format("'{}' is a tuple or complex; random numbers are for reals and ints.",
                                      variable->name));
      }
      Value start = block == BlockKind::data ? tracer_.get(*variable) : tracer_.unset(*variable->declared);
      places_[variable] = variables_.size();
      variables_.push_back(make_random_variable(*variable, std::move(start), builder_));
    }
  }
}

void SimulationEngine::check_constraint(const Sampling& sampling) const {
  if (sampling.variable->block == BlockKind::data) return;
  const Constraint constraint = sampling.variable->declared->constraint;
  const bool by_elements = constraint == Constraint::none || constraint == Constraint::bounds ||
                           constraint == Constraint::offset_multiplier || constraint == Constraint::ordered ||
                           constraint == Constraint::positive_ordered;
  if (by_elements || draws_satisfy(constraint, sampling.distribution)) return;
  refuse_simulation(prepared_.sources, sampling.stmt->span,
                    fmt::format("draws of '{}' do not satisfy the constraint of '{}'.", sampling.distribution,
                                sampling.variable->name),
                    "A simplex is drawn from dirichlet, a cholesky_factor_corr from lkj_corr_cholesky.");
}

// The elements that get a distribution, found by running the program at some point.
void SimulationEngine::find_distributions() {
  std::vector<double> theta(prepared_.dim, 0.0);
  Random random(0);
  std::string why;
  for (int i = 0; i < kMostPoints; ++i) {
    if (try_to_find(theta, why)) return;
    for (double& x : theta) x = 4 * random.uniform() - 2;
  }
  throw Error(ErrorKind::bad_input, "the program rejects every point that was tried. " + why);
}

bool SimulationEngine::try_to_find(const std::vector<double>& theta, std::string& why) {
  mode_ = Mode::find_distributions;
  builder_.start_afresh(constants_);
  for (RandomVariable& variable : variables_) {
    std::fill(variable.drawn_by.begin(), variable.drawn_by.end(), nullptr);
    tracer_.set(*variable.variable, variable.start);
  }
  tape::Ids free;
  for (const double x : theta) free.push_back(builder_.constant(x));
  tracer_.set_hook(this);
  try {
    tracer_.declare_parameters(free);
    tracer_.run(BlockKind::transformed_parameters);
    tracer_.run(BlockKind::model);
  } catch (const tape::Rejection& rejection) {
    why = rejection_text(prepared_.sources, rejection);
    return false;
  }
  tracer_.set_hook(nullptr);
  return true;
}

void SimulationEngine::note(const Sampling& sampling) {
  RandomVariable& variable = *find(*sampling.variable);
  variable.current = tracer_.get(*variable.variable);
  const Value chosen = choose(variable, *sampling.variate);
  for (const std::size_t position : read_positions(chosen, builder_)) {
    const Stmt*& by = variable.drawn_by[position];
    if (by != nullptr) {
      refuse_simulation(prepared_.sources, sampling.stmt->span,
                        fmt::format("'{}' has a distribution already, at {}.",
                                    prepared_.sources.text(sampling.variate->span),
                                    place_text(prepared_.sources, by->span)),
                        "A product of densities is no recipe for a draw.");
    }
    by = sampling.stmt;
  }
}

void SimulationEngine::check_defaults() const {
  for (const RandomVariable& variable : variables_) {
    if (!variable.is_parameter) continue;
    const auto none = std::count(variable.drawn_by.begin(), variable.drawn_by.end(), nullptr);
    if (none == 0) continue;
    const lang::SizedType& type = *variable.variable->declared;
    const bool whole = static_cast<std::size_t>(none) == variable.drawn_by.size();
    const bool compact = type.constraint == Constraint::simplex ||
                         type.constraint == Constraint::unit_vector ||
                         type.constraint == Constraint::corr_matrix;
    if (compact && whole) continue;
    const bool bounded =
        type.constraint == Constraint::bounds && type.lower != nullptr && type.upper != nullptr;
    if (bounded && is_fixed(*type.lower) && is_fixed(*type.upper)) continue;
    refuse_simulation(prepared_.sources, variable.variable->span,
                      fmt::format("{}'{}' {} no distribution, and a flat density {}.",
                                  whole ? "" : fmt::format("{} element{} of ", none, none == 1 ? "" : "s"),
                                  variable.variable->name, whole || none == 1 ? "has" : "have",
                                  bounded ? "between bounds that depend on parameters is none"
                                          : "on an unbounded set is none"),
                      "Give it one in the model block.");
  }
}

// ---- the order of statements ----

void SimulationEngine::begin_draw() {
  builder_.start_afresh(constants_);
  log_.clear();
  for (RandomVariable& variable : variables_) {
    variable.begin_draw();
    if (variable.is_parameter) draw_default(variable);
    tracer_.set(*variable.variable, variable.current);
  }
}

void SimulationEngine::draw(Random& random) {
  random_ = &random;
  tracer_.set_random(&random);
  mode_ = Mode::draw;
  std::string why;
  for (int i = 0; i < kMostDraws; ++i) {
    try {
      begin_draw();
      tracer_.set_hook(this);
      run_all(order_);
      tracer_.set_hook(nullptr);
      tracer_.run_rest(BlockKind::transformed_parameters,
                       prepared_.program.block(BlockKind::transformed_parameters).size());
      return;
    } catch (const Excluded& excluded) {
      why = excluded.why;
    } catch (const tape::Rejection& rejection) {
      why = rejection_text(prepared_.sources, rejection);
    } catch (const NotReady& missing) {
      refuse_simulation(prepared_.sources, missing.span,
                        fmt::format("it needs '{}', which is not drawn before it.", missing.variable->name),
                        "Statements are run when all they read is drawn; here there is no such order.");
    }
  }
  throw Error(ErrorKind::bad_input,
              fmt::format("{} draws in a row were excluded, the last because of {}", kMostDraws, why),
              "Constraints that hardly any draw satisfies cannot be simulated by drawing again.");
}

// Leaves the statements in the order in which they were run.
void SimulationEngine::run_all(std::vector<const Stmt*>& statements) {
  std::vector<const Stmt*> done;
  std::vector<const Stmt*> pending = statements;
  while (!pending.empty()) {
    std::vector<const Stmt*> deferred;
    NotReady first{};
    for (const Stmt* stmt : pending) {
      const bool stays_behind = std::any_of(deferred.begin(), deferred.end(), [&](const Stmt* earlier) {
        return conflict(uses(*earlier), uses(*stmt));
      });
      NotReady why{};
      if (!stays_behind && attempt(*stmt, why)) {
        done.push_back(stmt);
        continue;
      }
      if (deferred.empty()) first = why;
      deferred.push_back(stmt);
    }
    if (deferred.size() == pending.size()) throw first;
    pending = std::move(deferred);
  }
  statements = std::move(done);
}

// A statement that cannot be finished leaves nothing behind.
bool SimulationEngine::attempt(const Stmt& stmt, NotReady& why) {
  const std::size_t drawn = log_.size();
  std::vector<std::pair<const lang::Variable*, Value>> saved;
  if (is_compound(stmt)) {  // others look before they write
    for (const lang::Variable* variable : uses(stmt).writes)
      saved.emplace_back(variable, tracer_.get(*variable));
  }
  const Stmt* one = &stmt;
  try {
    tracer_.run_statements({&one, 1});
  } catch (const NotReady& missing) {
    why = missing;
    for (auto& [variable, value] : saved) tracer_.set(*variable, std::move(value));
    for (std::size_t i = drawn; i < log_.size(); ++i) {
      RandomVariable& variable = variables_[log_[i].variable];
      variable.known[log_[i].position] = 0;
      ++variable.unknown;
    }
    log_.resize(drawn);
    return false;
  }
  return true;
}

const Uses& SimulationEngine::uses(const Stmt& stmt) {
  const auto [place, is_new] = uses_.try_emplace(&stmt);
  if (is_new) place->second = uses_of(stmt);
  return place->second;
}

// A statement that leaves a loop ends what follows it.
bool SimulationEngine::may_reorder(const Stmt& stmt) {
  const auto [place, is_new] = may_reorder_.try_emplace(&stmt, true);
  if (!is_new) return place->second;
  lang::for_each_stmt(stmt, [&](const Stmt& below) {
    if (below.as<lang::Break>() != nullptr || below.as<lang::Continue>() != nullptr ||
        below.as<lang::Return>() != nullptr)
      place->second = false;
  });
  return place->second;
}

bool SimulationEngine::take(const Stmt& stmt) {
  if (stmt.as<lang::Print>() != nullptr) return true;  // nothing is printed
  const auto found = samplings_.find(&stmt);
  if (mode_ == Mode::find_distributions) {
    if (found == samplings_.end()) return false;
    for (const Sampling& sampling : found->second) note(sampling);
    return true;
  }
  if (found != samplings_.end()) {
    for (const Sampling& sampling : found->second) draw_sampling(sampling);
    return true;
  }
  const auto* block = stmt.as<lang::Block>();
  const auto* profile = stmt.as<lang::Profile>();
  if (block == nullptr && profile == nullptr) {
    require_ready(stmt);
    return false;
  }
  if (!may_reorder(stmt)) return false;
  const lang::List<const Stmt*> inner = block != nullptr ? block->statements : profile->statements;
  std::vector<const Stmt*> statements(inner.begin(), inner.end());
  run_all(statements);
  return true;
}

// ---- what is known ----

RandomVariable* SimulationEngine::find(const lang::Variable& variable) {
  const auto place = places_.find(&variable);
  return place == places_.end() ? nullptr : &variables_[place->second];
}

// What the expression chooses of the variable, as positions.
Value SimulationEngine::choose(RandomVariable& variable, const Expr& expr) {
  tracer_.set(*variable.variable, variable.positions);
  Value chosen = tracer_.eval(expr);
  tracer_.set(*variable.variable, variable.current);
  return chosen;
}

const std::vector<RandomVariable*>& SimulationEngine::random_in(const Expr& expr) {
  const auto [place, is_new] = random_in_.try_emplace(&expr);
  if (!is_new) return place->second;
  lang::for_each_expr(expr, [&](const Expr& part) {
    const auto* ref = part.as<lang::VariableRef>();
    RandomVariable* variable = ref == nullptr ? nullptr : find(*ref->variable);
    if (variable != nullptr) place->second.push_back(variable);
  });
  return place->second;
}

void SimulationEngine::require_ready(const Expr& root) {
  const std::vector<RandomVariable*>& mentioned = random_in(root);
  if (std::all_of(mentioned.begin(), mentioned.end(), [](const auto* v) { return v->is_complete(); })) return;
  lang::for_each_expr(root, [&](const Expr& expr) {
    const auto* call = expr.as<lang::Call>();
    if (call != nullptr && uses_sizes_only(*call)) return false;
    if (const auto* ref = expr.as<lang::VariableRef>()) {
      const RandomVariable* variable = find(*ref->variable);
      if (variable != nullptr && !variable->is_complete()) throw NotReady{ref->variable, builder_.span()};
    }
    const lang::Variable* of = expr.as<lang::Indexed>() == nullptr ? nullptr : indexed_variable(expr);
    RandomVariable* variable = of == nullptr ? nullptr : find(*of);
    if (variable == nullptr || variable->is_complete()) return true;
    for (const Expr* index : indices_of(expr)) require_ready(*index);
    for (const std::size_t position : read_positions(choose(*variable, expr), builder_)) {
      if (variable->known[position] == 0) throw NotReady{of, builder_.span()};
    }
    return false;
  });
}

void SimulationEngine::require_ready(const Stmt& stmt) {
  lang::for_each_own_expr(stmt, [&](const Expr& expr) { require_ready(expr); });
  // Conditions behind `else if` are evaluated with the first.
  const auto* branch = stmt.as<lang::If>();
  while (branch != nullptr && branch->no != nullptr) {
    branch = branch->no->as<lang::If>();
    if (branch != nullptr) require_ready(*branch->condition);
  }
}

// The same in every draw: made of data that are not simulated.
bool SimulationEngine::is_fixed(const Expr& root) const {
  bool fixed = root.data_only;
  lang::for_each_expr(root, [&](const Expr& expr) {
    const auto* ref = expr.as<lang::VariableRef>();
    if (ref == nullptr) return;
    const lang::Variable& variable = *ref->variable;
    const bool of_data = variable.role == lang::Variable::Role::global &&
                         (variable.block == BlockKind::data || variable.block == BlockKind::transformed_data);
    const bool of_loop = variable.role == lang::Variable::Role::loop;
    fixed = fixed && (of_data || of_loop) && !places_.contains(&variable);
  });
  return fixed;
}

}  // namespace kullback::model
