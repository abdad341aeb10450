// Walking a typed Program: direct children, and all expressions or statements below a node in source order.
// Expressions are walked with an explicit stack, so that a sum of a hundred thousand terms is no deeper than
// a sum of two; statements nest no deeper than the parser allows.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "lang/program.hpp"

namespace kullback::lang {

// The expression below any promotions.
inline const Expr& unpromoted(const Expr& expr) {
  const Expr* e = &expr;
  while (const auto* promote = e->as<Promote>()) e = promote->from;
  return *e;
}

// fn(const Expr&) for each direct subexpression, in source order.
template <class Fn>
void for_each_child(const Expr& expr, Fn&& fn) {
  std::visit(
      [&fn](const auto& node) {
        using Node = std::decay_t<decltype(node)>;
        if constexpr (std::is_same_v<Node, Promote>) {
          fn(*node.from);
        } else if constexpr (std::is_same_v<Node, Unary>) {
          fn(*node.operand);
        } else if constexpr (std::is_same_v<Node, Binary>) {
          fn(*node.left);
          fn(*node.right);
        } else if constexpr (std::is_same_v<Node, Ternary>) {
          fn(*node.condition);
          fn(*node.yes);
          fn(*node.no);
        } else if constexpr (std::is_same_v<Node, Call>) {
          for (const Expr* argument : node.arguments) fn(*argument);
        } else if constexpr (std::is_same_v<Node, ArrayLiteral> || std::is_same_v<Node, RowVectorLiteral> ||
                             std::is_same_v<Node, TupleLiteral>) {
          for (const Expr* element : node.elements) fn(*element);
        } else if constexpr (std::is_same_v<Node, Indexed>) {
          fn(*node.base);
          for (const Index& index : node.indices) {
            if (index.low) fn(*index.low);
            if (index.high) fn(*index.high);
          }
        } else if constexpr (std::is_same_v<Node, TupleGet>) {
          fn(*node.base);
        }
      },
      expr.node);
}

namespace visit_detail {

// A stack whose first entries need no allocation: most expressions are small.
class ExprStack final {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  void push(const Expr& expr) {
    if (size_ < near_.size()) {
      near_[size_] = &expr;
    } else {
      far_.push_back(&expr);
    }
    ++size_;
  }
  const Expr& pop() {
    --size_;
    if (size_ < near_.size()) return *near_[size_];
    const Expr* top = far_.back();
    far_.pop_back();
    return *top;
  }
  // Reverses the entries from `first` to the top.
  void reverse_from(std::size_t first) {
    for (std::size_t last = size_; first + 1 < last; ++first, --last) std::swap(at(first), at(last - 1));
  }

 private:
  const Expr*& at(std::size_t i) { return i < near_.size() ? near_[i] : far_[i - near_.size()]; }

  std::array<const Expr*, 32> near_;
  std::vector<const Expr*> far_;
  std::size_t size_ = 0;
};

}  // namespace visit_detail

// fn(const Expr&) for `root` and all below it, parents first, in source order. Where fn returns bool, false
// means: not below this one.
template <class Fn>
void for_each_expr(const Expr& root, Fn&& fn) {
  visit_detail::ExprStack pending;
  pending.push(root);
  while (!pending.empty()) {
    const Expr& expr = pending.pop();
    if constexpr (std::is_same_v<decltype(fn(expr)), bool>) {
      if (!fn(expr)) continue;
    } else {
      fn(expr);
    }
    const std::size_t first = pending.size();
    for_each_child(expr, [&pending](const Expr& child) { pending.push(child); });
    pending.reverse_from(first);
  }
}

// fn(const Expr&) for each expression of a declared type: sizes, bounds, offset and multiplier.
template <class Fn>
void for_each_child(const SizedType& type, Fn&& fn) {
  for (const Expr* size : type.array_sizes) fn(*size);
  for (const Expr* size : type.sizes) fn(*size);
  for (const Expr* bound : {type.lower, type.upper, type.offset, type.multiplier}) {
    if (bound) fn(*bound);
  }
  for (const SizedType* element : type.elements) for_each_child(*element, fn);
}

// fn(const Expr&) for each expression that stands directly in `stmt`, not in statements below it. A
// declaration's are those of its type, then its value.
template <class Fn>
void for_each_own_expr(const Stmt& stmt, Fn&& fn) {
  const auto maybe = [&fn](const Expr* expr) {
    if (expr) fn(*expr);
  };
  std::visit(
      [&](const auto& node) {
        using Node = std::decay_t<decltype(node)>;
        if constexpr (std::is_same_v<Node, Assign>) {
          fn(*node.target);
          fn(*node.value);
        } else if constexpr (std::is_same_v<Node, CallStmt>) {
          fn(*node.call);
        } else if constexpr (std::is_same_v<Node, Tilde>) {
          fn(*node.variate);
          for (const Expr* argument : node.arguments) fn(*argument);
          maybe(node.lower);
          maybe(node.upper);
        } else if constexpr (std::is_same_v<Node, TargetPlus> || std::is_same_v<Node, JacobianPlus>) {
          fn(*node.value);
        } else if constexpr (std::is_same_v<Node, Print> || std::is_same_v<Node, Reject> ||
                             std::is_same_v<Node, FatalError>) {
          for (const Expr* item : node.items) fn(*item);
        } else if constexpr (std::is_same_v<Node, Return>) {
          maybe(node.value);
        } else if constexpr (std::is_same_v<Node, If> || std::is_same_v<Node, While>) {
          fn(*node.condition);
        } else if constexpr (std::is_same_v<Node, For>) {
          fn(*node.low);
          fn(*node.high);
        } else if constexpr (std::is_same_v<Node, ForEach>) {
          fn(*node.container);
        } else if constexpr (std::is_same_v<Node, Declare>) {
          if (node.variable->declared) for_each_child(*node.variable->declared, fn);
          maybe(node.value);
        }
      },
      stmt.node);
}

// fn(const Stmt&) for each statement directly below `stmt`.
template <class Fn>
void for_each_child(const Stmt& stmt, Fn&& fn) {
  std::visit(
      [&fn](const auto& node) {
        using Node = std::decay_t<decltype(node)>;
        if constexpr (std::is_same_v<Node, If>) {
          fn(*node.yes);
          if (node.no) fn(*node.no);
        } else if constexpr (std::is_same_v<Node, While> || std::is_same_v<Node, For> ||
                             std::is_same_v<Node, ForEach>) {
          fn(*node.body);
        } else if constexpr (std::is_same_v<Node, Block> || std::is_same_v<Node, Profile>) {
          for (const Stmt* below : node.statements) fn(*below);
        }
      },
      stmt.node);
}

// fn(const Stmt&) for `root` and all below it, parents first.
template <class Fn>
void for_each_stmt(const Stmt& root, Fn&& fn) {
  fn(root);
  for_each_child(root, [&fn](const Stmt& below) { for_each_stmt(below, fn); });
}

// fn(const Expr&) for every expression in `stmt` and in all statements below it.
template <class Fn>
void for_each_expr(const Stmt& stmt, Fn&& fn) {
  for_each_stmt(stmt, [&fn](const Stmt& below) {
    for_each_own_expr(below, [&fn](const Expr& root) { for_each_expr(root, fn); });
  });
}

}  // namespace kullback::lang
