#include "lang/lint/facts.hpp"

#include "lang/lint/density_reach.hpp"
#include "lang/lint/expr_tools.hpp"
#include "lang/visit.hpp"

namespace kullback::lang {
namespace {

class Gatherer final {
 public:
  explicit Gatherer(Facts& facts) : facts_(facts) {}

  void function(const Function& function) {
    place_ = Place{.block = BlockKind::functions, .function = &function};
    for (const Variable* parameter : function.parameters) introduce(*parameter);
    if (function.body) statement(*function.body);
  }

  void block(BlockKind kind, const std::vector<const Stmt*>& statements) {
    place_ = Place{.block = kind};
    for (const Stmt* stmt : statements) statement(*stmt);
  }

 private:
  VariableFacts& variable(const Variable& v) { return facts_.variables[v.id]; }

  void introduce(const Variable& v) {
    variable(v).variable = &v;
    variable(v).function = place_.function;
  }

  void statement(const Stmt& stmt) {
    stmt_ = &stmt;
    if (const auto* assign = stmt.as<Assign>()) {
      assignment(stmt, *assign);
    } else if (const auto* declare = stmt.as<Declare>()) {
      declaration(stmt, *declare);
    } else {
      if (const auto* tilde = stmt.as<Tilde>()) add_tilde(stmt, *tilde);
      if (const auto* loop = stmt.as<For>()) introduce(*loop->variable);
      if (const auto* loop = stmt.as<ForEach>()) introduce(*loop->variable);
      for_each_own_expr(stmt, [this](const Expr& expr) { read(expr, nullptr); });
    }
    below(stmt);
  }

  void below(const Stmt& stmt) {
    const Place outside = place_;
    const Expr* condition = nullptr;
    if (const auto* branch = stmt.as<If>()) condition = branch->condition;
    if (const auto* loop = stmt.as<While>()) condition = loop->condition;
    if (condition) {
      facts_.branches.push_back({&stmt, condition, place_});
      ++place_.branches;
    }
    if (stmt.as<For>() || stmt.as<ForEach>() || stmt.as<While>()) {
      facts_.loops.push_back({&stmt, outside});
      place_.loop = static_cast<std::uint32_t>(facts_.loops.size() - 1);
    }
    for_each_child(stmt, [this](const Stmt& child) { statement(child); });
    place_ = outside;
  }

  void assignment(const Stmt& stmt, const Assign& assign) {
    const Variable* target = root_variable(*assign.target);
    read(*assign.value, target);
    write(stmt, *assign.target, assign.value, assign.compound);
  }

  void write(const Stmt& stmt, const Expr& target, const Expr* value, bool compound) {
    if (const auto* tuple = target.as<TupleLiteral>()) {
      for (const Expr* element : tuple->elements) write(stmt, *element, nullptr, false);
      return;
    }
    const Variable* root = root_variable(target);
    if (!root) return;
    read_indices(target, root);
    define(*root, {&stmt, value, target.as<VariableRef>() != nullptr, compound});
  }

  void read_indices(const Expr& target, const Variable* root) {
    const Expr* e = &target;
    while (!e->as<VariableRef>()) {
      if (const auto* indexed = e->as<Indexed>()) {
        for (const Index& index : indexed->indices) {
          if (index.low) read(*index.low, root);
          if (index.high) read(*index.high, root);
        }
        e = indexed->base;
      } else if (const auto* get = e->as<TupleGet>()) {
        e = get->base;
      } else {
        return;
      }
    }
  }

  void declaration(const Stmt& stmt, const Declare& declare) {
    introduce(*declare.variable);
    if (declare.variable->declared) {
      for_each_child(*declare.variable->declared, [this](const Expr& expr) { read(expr, nullptr); });
    }
    if (!declare.value) return;
    read(*declare.value, declare.variable);
    define(*declare.variable, {&stmt, declare.value, true, false});
  }

  void define(const Variable& v, Definition definition) {
    const auto index = static_cast<std::uint32_t>(facts_.definitions.size());
    facts_.definitions.push_back(definition);
    VariableFacts& facts = variable(v);
    if (facts.definitions++ == 0) {
      facts.first_definition = index;
    } else {
      facts_.definitions[facts.last_definition].next = index;
    }
    facts.last_definition = index;
  }

  // Reads of `own` within the computation of its own value do not make it useful.
  void read(const Expr& root, const Variable* own) {
    for_each_expr(root, [&](const Expr& e) {
      if (const auto* ref = e.as<VariableRef>()) {
        if (ref->variable != own) ++variable(*ref->variable).reads;
      } else if (const auto* call = e.as<Call>()) {
        add_call(e, *call);
      } else if (const auto* ternary = e.as<Ternary>()) {
        facts_.branches.push_back({nullptr, ternary->condition, place_});
      } else if (const auto* function = e.as<FunctionRef>()) {
        use(function->user);
      }
    });
  }

  void use(const Function* function) {
    if (function) facts_.function_uses.push_back({function, place_.function});
  }

  void add_tilde(const Stmt& stmt, const Tilde& tilde) {
    facts_.distributions.push_back({.stmt = &stmt,
                                    .span = stmt.span,
                                    .family = tilde.distribution,
                                    .function = tilde.function,
                                    .user = tilde.user,
                                    .variate = tilde.variate,
                                    .arguments = tilde.arguments,
                                    .tilde = &tilde,
                                    .place = place_});
    use(tilde.user);
    if (tilde.user) facts_.user_calls.push_back({tilde.user, tilde.variate, tilde.arguments, place_});
  }

  void add_call(const Expr& expr, const Call& call) {
    use(call.user);
    if (call.user) facts_.user_calls.push_back({call.user, nullptr, call.arguments, place_});
    struct Ending {
      std::string_view suffix;
      DistributionCall call;
    };
    static constexpr Ending kEndings[] = {
        {"_lpdf", DistributionCall::density}, {"_lpmf", DistributionCall::density},
        {"_lcdf", DistributionCall::cdf},     {"_lccdf", DistributionCall::cdf},
        {"_cdf", DistributionCall::cdf},      {"_rng", DistributionCall::rng}};
    for (const Ending& ending : kEndings) {
      const std::string_view family = without_suffix(call.name, ending.suffix);
      if (family.empty()) continue;
      const bool has_variate = ending.call != DistributionCall::rng;
      if (has_variate && call.arguments.empty()) return;
      facts_.distributions.push_back({.stmt = stmt_,
                                      .span = expr.span,
                                      .family = family,
                                      .function = call.name,
                                      .user = call.user,
                                      .call = ending.call,
                                      .variate = has_variate ? call.arguments[0] : nullptr,
                                      .arguments = has_variate ? call.arguments.subspan(1) : call.arguments,
                                      .tilde = nullptr,
                                      .place = place_});
      return;
    }
  }

  Facts& facts_;
  Place place_;
  const Stmt* stmt_ = nullptr;
};

}  // namespace

Facts::Facts(const Program& the_program, const SourceMap& the_sources)
    : program(the_program), sources(the_sources), variables(the_program.variable_count) {
  Gatherer gatherer(*this);
  for (const Function* function : program.functions) gatherer.function(*function);
  for (int kind = 0; kind < ast::kBlockKinds; ++kind) {
    gatherer.block(static_cast<BlockKind>(kind), program.blocks[kind]);
  }
  mark_density_reach(*this);
}

const Expr* Facts::single_value(const Variable& variable) const {
  const VariableFacts& facts = of(variable);
  if (facts.definitions != 1 || variable.role == Variable::Role::argument) return nullptr;
  const Definition& definition = definitions[facts.first_definition];
  return definition.compound ? nullptr : definition.value;
}

}  // namespace kullback::lang
