// Statements, and how control leaves them. A function returns on all paths when its body is complete: a
// return, reject or fatal_error is; a loop is if its body is, or if it never ends and no break leaves it; an
// if is when both branches are; a block takes after its last reachable statement.
#include <fmt/format.h>

#include "lang/check/checker.hpp"

namespace kullback::lang {

namespace {

Flow after(Flow before, Flow last) {
  if (before == Flow::jumps || last == Flow::jumps) return Flow::jumps;
  return last;
}

Flow either(Flow yes, Flow no) {
  if (yes == Flow::complete && no == Flow::complete) return Flow::complete;
  return yes == Flow::jumps || no == Flow::jumps ? Flow::jumps : Flow::incomplete;
}

// Nothing after it is reached.
bool escapes(const ast::Stmt& stmt) {
  return stmt.as<ast::Break>() || stmt.as<ast::Continue>() || stmt.as<ast::Reject>() ||
         stmt.as<ast::FatalError>() || stmt.as<ast::Return>();
}

std::string_view without_quotes(std::string_view text) {
  return text.size() >= 2 ? text.substr(1, text.size() - 2) : text;
}

}  // namespace

Flow Checker::statements(ast::List<ast::Stmt*> list, std::vector<const Stmt*>& out) {
  Flow flow = Flow::incomplete;
  bool reachable = true;
  const ast::Stmt* before = nullptr;
  for (const ast::Stmt* stmt : list) {
    if (stmt->as<ast::Empty>()) continue;
    if (before && escapes(*before) && reachable) {
      reachable = false;
      warning("unreachable", stmt->span, "This statement is never reached.");
    }
    before = stmt;
    Effect effect;
    if (const auto* declare = stmt->as<ast::Declare>()) {
      check_declaration(*stmt, *declare, out);
    } else {
      effect = statement(*stmt);
      if (effect.stmt) out.push_back(effect.stmt);
    }
    if (reachable) flow = after(flow, effect.flow);
  }
  return flow;
}

Effect Checker::statement(const ast::Stmt& stmt) {
  const bool was_top_level = std::exchange(context_.top_level, false);
  const Effect effect = inner_statement(stmt);
  context_.top_level = was_top_level;
  return effect;
}

Effect Checker::inner_statement(const ast::Stmt& stmt) {
  const auto make = [&](auto node, Flow flow = Flow::incomplete) {
    return Effect{arena_.make(Stmt{stmt.span, std::move(node)}), flow};
  };
  if (const auto* node = stmt.as<ast::Assign>()) return assignment(stmt, *node);
  if (const auto* node = stmt.as<ast::Tilde>()) return tilde(stmt, *node);
  if (const auto* node = stmt.as<ast::For>()) return for_loop(stmt, *node);
  if (const auto* node = stmt.as<ast::ForEach>()) return foreach_loop(stmt, *node);
  if (stmt.as<ast::If>()) return if_chain(stmt);
  if (const auto* node = stmt.as<ast::Block>()) return block(stmt.span, node->statements);
  if (const auto* node = stmt.as<ast::CallStmt>()) return call_statement(stmt, *node);
  if (const auto* node = stmt.as<ast::Return>()) return return_statement(stmt, *node);
  if (const auto* node = stmt.as<ast::While>()) return while_loop(stmt, *node);
  if (const auto* node = stmt.as<ast::Print>()) return make(Print{printed(node->items)});
  if (const auto* node = stmt.as<ast::Reject>()) return make(Reject{printed(node->items)}, Flow::complete);
  if (const auto* node = stmt.as<ast::FatalError>())
    return make(FatalError{printed(node->items)}, Flow::complete);
  if (const auto* node = stmt.as<ast::TargetPlus>()) {
    const Expr* value = increment(*node->value);
    require_target(stmt.span, "target +=");
    return make(TargetPlus{value});
  }
  if (const auto* node = stmt.as<ast::JacobianPlus>()) {
    const Expr* value = increment(*node->value);
    require_jacobian(stmt.span, "jacobian +=");
    return make(JacobianPlus{value});
  }
  if (const auto* node = stmt.as<ast::Profile>()) return profile(stmt, *node);
  if (const auto* node = stmt.as<ast::Declare>()) return lone_declaration(stmt, *node);
  if (stmt.as<ast::Break>()) {
    if (!require_loop(stmt.span, "break")) return {nullptr, Flow::complete};
    return make(Break{}, Flow::jumps);
  }
  if (stmt.as<ast::Continue>()) {
    if (!require_loop(stmt.span, "continue")) return {nullptr, Flow::complete};
    return make(Continue{});
  }
  return {};
}

bool Checker::require_loop(Span span, std::string_view word) {
  if (context_.loop_depth > 0) return true;
  error("outside-loop", span, fmt::format("{} stands outside of any loop.", quoted(word)));
  return false;
}

Effect Checker::block(Span span, ast::List<ast::Stmt*> list) {
  Scope scope(environment_);
  Stmts inner(stmt_pool_);
  const Flow flow = statements(list, *inner);
  return {arena_.make(Stmt{span, Block{arena_.copy(*inner)}}), flow};
}

Effect Checker::profile(const ast::Stmt& stmt, const ast::Profile& node) {
  Scope scope(environment_);
  Stmts inner(stmt_pool_);
  const Flow flow = statements(node.statements, *inner);
  const auto* label = node.label->as<ast::StringLiteral>();
  const std::string_view text = label ? arena_.copy(without_quotes(label->text)) : std::string_view();
  return {arena_.make(Stmt{stmt.span, Profile{text, arena_.copy(*inner)}}), flow};
}

// A declaration that is the whole body of an if or a loop.
Effect Checker::lone_declaration(const ast::Stmt& stmt, const ast::Declare& node) {
  Stmts inner(stmt_pool_);
  check_declaration(stmt, node, *inner);
  return {arena_.make(Stmt{stmt.span, Block{arena_.copy(*inner)}})};
}

// if ... else if ... else: the chain may be long, so it is walked in a loop and built from its end.
Effect Checker::if_chain(const ast::Stmt& stmt) {
  struct Link {
    const ast::Stmt* stmt;
    const Expr* condition;
    Effect yes;
  };
  std::vector<Link> links;
  const ast::Stmt* at = &stmt;
  Effect rest;
  while (const auto* node = at->as<ast::If>()) {
    const Expr* condition =
        typed(*node->condition, Kind::int_, "The condition of 'if'", "condition-type").expr;
    links.push_back({at, condition, scoped(*node->yes)});
    at = node->no;
    if (!at) break;
  }
  if (at) rest = scoped(*at);
  for (std::size_t i = links.size(); i-- > 0;) {
    const Link& link = links[i];
    const Stmt* yes = link.yes.stmt ? link.yes.stmt : arena_.make(Stmt{link.stmt->span, Block{}});
    rest = {arena_.make(Stmt{link.stmt->span, If{link.condition, yes, rest.stmt}}),
            either(link.yes.flow, rest.flow)};
  }
  return rest;
}

// A statement whose declarations end with it.
Effect Checker::scoped(const ast::Stmt& stmt) {
  Scope scope(environment_);
  return statement(stmt);
}

Effect Checker::loop_body(const ast::Stmt& body) {
  ++context_.loop_depth;
  Effect effect = scoped(body);
  --context_.loop_depth;
  if (!effect.stmt) effect.stmt = arena_.make(Stmt{body.span, Block{}});
  return effect;
}

Effect Checker::while_loop(const ast::Stmt& stmt, const ast::While& loop) {
  const Expr* condition =
      typed(*loop.condition, Kind::int_, "The condition of 'while'", "condition-type").expr;
  const Effect body = loop_body(*loop.body);
  const auto* constant = condition ? condition->as<IntConstant>() : nullptr;
  const bool endless = constant && constant->value != 0;
  const bool complete = body.flow == Flow::complete || (body.flow == Flow::incomplete && endless);
  return {arena_.make(Stmt{stmt.span, While{condition, body.stmt}}),
          complete ? Flow::complete : Flow::incomplete};
}

Effect Checker::for_loop(const ast::Stmt& stmt, const ast::For& loop) {
  const Expr* low = typed(*loop.low, Kind::int_, "The lower bound of a loop", "loop-bound-type").expr;
  const Expr* high = typed(*loop.high, Kind::int_, "The upper bound of a loop", "loop-bound-type").expr;
  Scope scope(environment_);
  Variable variable;
  variable.type = int_;
  variable.role = Variable::Role::loop;
  variable.data_only = low && high && low->data_only && high->data_only;
  const Variable* declared = declare(loop.variable, variable);
  const Effect body = loop_body(*loop.body);
  return {arena_.make(Stmt{stmt.span, For{declared, low, high, body.stmt}}),
          body.flow == Flow::complete ? Flow::complete : Flow::incomplete};
}

Effect Checker::foreach_loop(const ast::Stmt& stmt, const ast::ForEach& loop) {
  const Value container = expression(*loop.container);
  Scope scope(environment_);
  Variable variable;
  variable.role = Variable::Role::loop;
  if (container) {
    const Type* type = container.type();
    variable.data_only = container.expr->data_only;
    if (type->array_rank > 0) {
      variable.type = types_.element_of(type);
    } else if (type->kind == Kind::vector || type->kind == Kind::row_vector || type->kind == Kind::matrix) {
      variable.type = real_;
    } else {
      error("loop-container-type", loop.container->span,
            fmt::format("A loop goes over a range 1:n, an array, a vector, a row_vector or a matrix, but {}.",
                        describe(*loop.container, type)),
            type == int_ ? "Write 1:n for a range." : "");
    }
  }
  const Variable* declared = declare(loop.variable, variable);
  const Effect body = loop_body(*loop.body);
  return {arena_.make(Stmt{stmt.span, ForEach{declared, container.expr, body.stmt}}),
          body.flow == Flow::complete ? Flow::complete : Flow::incomplete};
}

Effect Checker::return_statement(const ast::Stmt& stmt, const ast::Return& node) {
  const Type* wanted = context_.function ? context_.function->function->result : nullptr;
  const Value value = node.value ? expression(*node.value) : Value{};
  if (!wanted) {
    error("return-outside-function", stmt.span, "'return' stands outside of any function.");
  } else if (node.value && wanted == void_) {
    error("return-type", stmt.span,
          fmt::format("{} returns nothing, but a value is returned here.",
                      quoted(context_.function->function->name)));
  } else if (!node.value && wanted != void_) {
    error("return-type", stmt.span,
          fmt::format("{} must return {}, but nothing is returned here.",
                      quoted(context_.function->function->name), with_article(*wanted)));
  } else if (value && !promotes(value.type(), wanted)) {
    error(
        "return-type", stmt.span,
        fmt::format("{} must return {}, but {} is returned here.", quoted(context_.function->function->name),
                    with_article(*wanted), with_article(*value.type())));
  } else {
    const Expr* promoted = value ? promote(value.expr, wanted) : nullptr;
    return {arena_.make(Stmt{stmt.span, Return{promoted}}), Flow::complete};
  }
  return {nullptr, Flow::complete};
}

List<const Expr*> Checker::printed(ast::List<ast::Expr*> items) {
  Exprs checked(expr_pool_);
  for (const ast::Expr* item : items) {
    if (const auto* text = item->as<ast::StringLiteral>()) {
      const std::string_view kept = arena_.copy(without_quotes(text->text));
      checked->push_back(arena_.make(Expr{item->span, nullptr, true, StringConstant{kept}}));
      continue;
    }
    const Value value = expression(*item);
    if (value && is_value(value)) checked->push_back(value.expr);
  }
  return arena_.copy(*checked);
}

// What may be added to the log density: anything that has a value.
const Expr* Checker::increment(const ast::Expr& value) {
  const Value checked = expression(value);
  return checked && is_value(checked) ? checked.expr : nullptr;
}

}  // namespace kullback::lang
