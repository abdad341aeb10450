// Reads of variables to which nothing has been assigned on any path, and outputs that nothing is ever
// assigned to. The walk follows the order of the text. Inside a loop an assignment further down
// may come first in time, from the iteration before; a read is then excused when it is guarded by a branch or
// is of a container, whose elements the walk does not tell apart.
#include <fmt/format.h>

#include <vector>

#include "lang/lint/expr_tools.hpp"
#include "lang/lint/report.hpp"
#include "lang/visit.hpp"

namespace kullback::lang {
namespace {

bool has_no_elements(const SizedType& type) {
  const auto zero = [](const Expr* size) { return constant_value(*size) == 0.0; };
  for (const Expr* size : type.array_sizes) {
    if (zero(size)) return true;
  }
  for (const Expr* size : type.sizes) {
    if (zero(size)) return true;
  }
  return false;
}

// data, parameters, loop variables and arguments come with values.
bool comes_with_value(const Variable& variable) {
  if (variable.role == Variable::Role::loop || variable.role == Variable::Role::argument) return true;
  if (variable.role == Variable::Role::local) return false;
  return variable.block == BlockKind::data || variable.block == BlockKind::parameters;
}

class Walk final {
 public:
  Walk(const Facts& facts, Report& report)
      : facts_(facts), report_(report), variables_(facts.variables.size()) {}

  void statement(const Stmt& stmt) {
    if (const auto* declare = stmt.as<Declare>()) return declaration(*declare);
    if (const auto* assign = stmt.as<Assign>()) return assignment(*assign);
    for_each_own_expr(stmt, [this](const Expr& expr) { read(expr); });
    const bool loop = stmt.as<For>() || stmt.as<ForEach>() || stmt.as<While>();
    const bool branch = stmt.as<If>() != nullptr;
    loops_ += loop;
    branches_ += branch;
    for_each_child(stmt, [this](const Stmt& below) { statement(below); });
    branches_ -= branch;
    loops_ -= loop;
    if (loop && loops_ == 0) report_suspects();
  }

  void never_assigned() {
    for (const VariableFacts& v : facts_.variables) {
      if (!v.variable || v.variable->role != Variable::Role::global || v.definitions > 0) continue;
      if (comes_with_value(*v.variable) || variables_[v.variable->id].reported) continue;
      if (v.variable->declared && has_no_elements(*v.variable->declared)) continue;
      if (v.variable->block == BlockKind::transformed_data) continue;  // unread: unused-variable says so
      report_.add(v.variable->span,
                  fmt::format("'{}' is declared but never assigned: it has no value.", v.variable->name));
    }
  }

 private:
  struct State {
    bool assigned = false;
    bool reported = false;
    bool suspect = false;
    bool excused = false;  // by a later assignment in the same loop
    int loops = 0;         // loops around the declaration
  };
  struct Suspect {
    const Variable* variable;
    Span span;
  };

  void declaration(const Declare& declare) {
    const Variable& variable = *declare.variable;
    if (variable.declared) for_each_child(*variable.declared, [this](const Expr& expr) { read(expr); });
    if (declare.value) read(*declare.value);
    State& state = variables_[variable.id];
    state.loops = loops_;
    state.assigned = declare.value || comes_with_value(variable) ||
                     (variable.declared && has_no_elements(*variable.declared));
  }

  void assignment(const Assign& assign) {
    read(*assign.value);
    if (assign.compound) read(*assign.target);
    write(*assign.target);
  }

  void write(const Expr& target) {
    if (const auto* tuple = target.as<TupleLiteral>()) {
      for (const Expr* element : tuple->elements) write(*element);
      return;
    }
    const Variable* root = root_variable(target);
    if (!root) return;
    for_each_expr(target, [&](const Expr& e) {
      if (const auto* ref = e.as<VariableRef>()) {
        if (ref->variable != root) read_variable(*ref->variable, e.span);
      }
    });
    State& state = variables_[root->id];
    state.assigned = true;
    state.excused = state.suspect;
  }

  void read(const Expr& root) {
    for_each_expr(root, [this](const Expr& e) {
      const auto* call = e.as<Call>();
      if (call && is_size_function(call->name)) return false;
      if (const auto* ref = e.as<VariableRef>()) read_variable(*ref->variable, e.span);
      return true;
    });
  }

  void read_variable(const Variable& variable, Span span) {
    State& state = variables_[variable.id];
    if (state.assigned || state.reported || comes_with_value(variable)) return;
    const bool scalar = variable.type->is(math::Kind::int_) || variable.type->is(math::Kind::real);
    if (loops_ > state.loops && (branches_ > 0 || !scalar)) {
      if (!state.suspect) suspects_.push_back({&variable, span});
      state.suspect = true;
    } else {
      report(variable, span);
    }
  }

  void report_suspects() {
    for (const Suspect& suspect : suspects_) {
      const State& state = variables_[suspect.variable->id];
      if (!state.excused && !state.reported) report(*suspect.variable, suspect.span);
    }
    suspects_.clear();
  }

  void report(const Variable& variable, Span span) {
    variables_[variable.id].reported = true;
    report_.add(span, fmt::format("'{}' is read before anything is assigned to it.", variable.name)).note = {
        variable.span, "Declared here."};
  }

  const Facts& facts_;
  Report& report_;
  std::vector<State> variables_;  // by id
  std::vector<Suspect> suspects_;
  int loops_ = 0;
  int branches_ = 0;
};

}  // namespace

void lint_uninitialized_variable(const Facts& facts, Report& report) {
  Walk walk(facts, report);
  for (const Function* function : facts.program.functions) {
    if (function->body) walk.statement(*function->body);
  }
  for (const auto& block : facts.program.blocks) {
    for (const Stmt* stmt : block) walk.statement(*stmt);
  }
  walk.never_assigned();
}

}  // namespace kullback::lang
