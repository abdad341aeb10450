// The types of expressions before any check: enough to tell int from real where old and modern Stan differ.
// Private to lang/modernize*.cpp.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lang/ast.hpp"
#include "math/type.hpp"

namespace kullback::lang {

math::Type unsized_type(const ast::DeclType& type);

class TypeScopes final {
 public:
  void open() { marks_.push_back(declared_.size()); }
  void close();
  void declare(std::string_view name, math::Type type);
  void declare_function(std::string_view name, math::Type result);

  bool has_variable(std::string_view name) const;
  // Nothing where it is not known.
  std::optional<math::Type> type_of(const ast::Expr& expr) const;
  bool is(math::Kind kind, const ast::Expr& expr) const;  // and no array

 private:
  using Known = std::optional<math::Type>;
  Known type_of_chain(const ast::Expr& expr) const;
  Known type_of_operator(std::string_view op, const Known& left, const Known& right) const;
  Known type_of_indexed(const ast::Indexed& indexed) const;
  Known type_of_call(const ast::Call& call) const;

  std::unordered_map<std::string_view, std::vector<math::Type>> variables_;
  std::unordered_map<std::string_view, math::Type> functions_;
  std::vector<std::string_view> declared_;
  std::vector<std::size_t> marks_;
};

}  // namespace kullback::lang
