// Walking a syntax tree that may change on the way; private to lang/modernize*.cpp. Expressions are walked
// with a stack of their own, so that a sum of a hundred thousand terms is no deeper than a sum of two.
#pragma once

#include <type_traits>
#include <variant>
#include <vector>

#include "lang/ast.hpp"

namespace kullback::lang {

// fn(ast::Expr*&) for each direct subexpression.
template <class Fn>
void for_each_operand(ast::Expr& expr, Fn&& fn) {
  std::visit(
      [&fn](auto& node) {
        using Node = std::decay_t<decltype(node)>;
        if constexpr (std::is_same_v<Node, ast::Paren>) {
          fn(node.inner);
        } else if constexpr (std::is_same_v<Node, ast::Prefix> || std::is_same_v<Node, ast::Postfix>) {
          fn(node.operand);
        } else if constexpr (std::is_same_v<Node, ast::Binary>) {
          fn(node.left);
          fn(node.right);
        } else if constexpr (std::is_same_v<Node, ast::Ternary>) {
          fn(node.condition);
          fn(node.yes);
          fn(node.no);
        } else if constexpr (std::is_same_v<Node, ast::Call>) {
          for (ast::Expr*& argument : node.arguments) fn(argument);
        } else if constexpr (std::is_same_v<Node, ast::ArrayLiteral> ||
                             std::is_same_v<Node, ast::RowVectorLiteral> ||
                             std::is_same_v<Node, ast::TupleLiteral>) {
          for (ast::Expr*& element : node.elements) fn(element);
        } else if constexpr (std::is_same_v<Node, ast::Indexed>) {
          fn(node.base);
          for (ast::Index& index : node.indices) {
            if (index.low != nullptr) fn(index.low);
            if (index.high != nullptr) fn(index.high);
          }
        } else if constexpr (std::is_same_v<Node, ast::TupleGet>) {
          fn(node.base);
        }
      },
      expr.node);
}

// fn(ast::Expr&) for `root` and all below it, parents first.
template <class Fn>
void for_each_below(ast::Expr& root, Fn&& fn) {
  std::vector<ast::Expr*> pending = {&root};
  while (!pending.empty()) {
    ast::Expr* expr = pending.back();
    pending.pop_back();
    fn(*expr);
    for_each_operand(*expr, [&pending](ast::Expr*& operand) { pending.push_back(operand); });
  }
}

// fn(ast::Expr*&) for each expression of a declared type.
template <class Fn>
void for_each_operand(ast::DeclType& type, Fn&& fn) {
  for (ast::Expr*& size : type.array_sizes) fn(size);
  for (ast::Expr*& size : type.sizes) fn(size);
  for (ast::Expr** bound :
       {&type.bounds.lower, &type.bounds.upper, &type.bounds.offset, &type.bounds.multiplier}) {
    if (*bound != nullptr) fn(*bound);
  }
  for (ast::DeclType* element : type.elements) for_each_operand(*element, fn);
}

// fn(ast::Expr*&) for each expression that stands directly in a statement. Not those of a declaration: what
// its variables may see depends on their order.
template <class Fn>
void for_each_operand(ast::Stmt& stmt, Fn&& fn) {
  const auto maybe = [&fn](ast::Expr*& expr) {
    if (expr != nullptr) fn(expr);
  };
  std::visit(
      [&](auto& node) {
        using Node = std::decay_t<decltype(node)>;
        if constexpr (std::is_same_v<Node, ast::Assign>) {
          fn(node.target);
          fn(node.value);
        } else if constexpr (std::is_same_v<Node, ast::CallStmt>) {
          fn(node.call);
        } else if constexpr (std::is_same_v<Node, ast::Tilde>) {
          fn(node.variate);
          for (ast::Expr*& argument : node.arguments) fn(argument);
          maybe(node.truncation.lower);
          maybe(node.truncation.upper);
        } else if constexpr (std::is_same_v<Node, ast::TargetPlus> ||
                             std::is_same_v<Node, ast::JacobianPlus>) {
          fn(node.value);
        } else if constexpr (std::is_same_v<Node, ast::Return>) {
          maybe(node.value);
        } else if constexpr (std::is_same_v<Node, ast::Print> || std::is_same_v<Node, ast::Reject> ||
                             std::is_same_v<Node, ast::FatalError>) {
          for (ast::Expr*& item : node.items) fn(item);
        } else if constexpr (std::is_same_v<Node, ast::If> || std::is_same_v<Node, ast::While>) {
          fn(node.condition);
        } else if constexpr (std::is_same_v<Node, ast::For>) {
          fn(node.low);
          fn(node.high);
        } else if constexpr (std::is_same_v<Node, ast::ForEach>) {
          fn(node.container);
        }
      },
      stmt.node);
}

// fn(ast::Stmt&) for each of the statements and all below them, parents first.
template <class Fn>
void for_each_below(ast::List<ast::Stmt*> roots, Fn&& fn) {
  std::vector<ast::Stmt*> pending(roots.begin(), roots.end());
  const auto push = [&pending](ast::Stmt* stmt) {
    if (stmt != nullptr) pending.push_back(stmt);
  };
  while (!pending.empty()) {
    ast::Stmt* stmt = pending.back();
    pending.pop_back();
    fn(*stmt);
    std::visit(
        [&](auto& node) {
          using Node = std::decay_t<decltype(node)>;
          if constexpr (std::is_same_v<Node, ast::If>) {
            push(node.yes);
            push(node.no);
          } else if constexpr (std::is_same_v<Node, ast::While> || std::is_same_v<Node, ast::For> ||
                               std::is_same_v<Node, ast::ForEach> || std::is_same_v<Node, ast::Function>) {
            push(node.body);
          } else if constexpr (std::is_same_v<Node, ast::Block> || std::is_same_v<Node, ast::Profile>) {
            for (ast::Stmt* below : node.statements) push(below);
          }
        },
        stmt->node);
  }
}

}  // namespace kullback::lang
