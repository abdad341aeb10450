// Which of a program's own names must change: old densities (foo_log used as y ~ foo(...)), words that are
// reserved now, functions that are built in now. Private to lang/modernize*.cpp.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "lang/ast.hpp"

namespace kullback::lang {

class NamePlan final {
 public:
  // New names are kept in the tree's arena.
  explicit NamePlan(ast::Tree& tree);

  bool is_user_function(std::string_view name) const { return functions_.contains(name); }
  bool is_user_density(std::string_view name) const;  // also where it is called without constants: _lupdf

  enum class Reason { none, reserved, old_density, now_builtin };
  struct Change {
    Reason reason = Reason::none;
    std::string_view name = {};  // the new one
  };
  Change of_word(std::string_view name) const;      // of a variable or anything else
  Change of_function(std::string_view name) const;  // of a user's function, or its _lupdf form
  Change of_distribution(std::string_view name) const;

 private:
  using Overloads = std::vector<const ast::Function*>;

  void collect();
  void collect(ast::Stmt& stmt);
  void collect(ast::Expr& root);
  void plan_reserved();
  void plan_old_density(std::string_view name, const Overloads& overloads);
  void plan_now_builtin(std::string_view name, const Overloads& overloads);
  bool has_density(std::string_view stem) const;
  bool is_given(std::string_view stem, const Overloads& overloads) const;
  std::string_view fresh(std::string name);
  static Change find(const std::map<std::string_view, Change>& changes, std::string_view name);

  ast::Tree& tree_;
  std::unordered_set<std::string_view> names_;
  std::map<std::string_view, Overloads> functions_;
  std::map<std::string_view, std::set<std::size_t>> distributions_;  // with how many arguments each is used
  std::map<std::string_view, Change> words_;
  std::map<std::string_view, Change> function_changes_;
  std::map<std::string_view, Change> distribution_changes_;
};

// "foo_lpdf" -> "foo"; also _lpmf, _lupdf, _lupmf, _cdf, _lcdf, _lccdf and _rng. Empty for other names.
std::string_view distribution_stem(std::string_view function);

}  // namespace kullback::lang
