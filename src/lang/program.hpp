// The typed, immutable meaning of a Stan program: names resolved, overloads chosen, promotions explicit,
// parentheses gone, a span on every node, no data. Made by check() (lang/check.hpp); printed by
// lang/print_program.hpp; consumed by whoever runs the program.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "base/source.hpp"
#include "lang/ast.hpp"
#include "lang/operators.hpp"
#include "math/type.hpp"

namespace kullback::lang {

struct Expr;
struct Stmt;
struct Function;
template <class T>
using List = std::span<const T>;
using ast::BlockKind;

// What a declaration constrains its variable to. `bounds` holds offset and multiplier too.
enum class Constraint : std::uint8_t {
  none,
  bounds,  // any of lower, upper
  offset_multiplier,
  ordered,
  positive_ordered,
  simplex,
  unit_vector,
  sum_to_zero,  // vector or matrix
  cholesky_factor_corr,
  cholesky_factor_cov,
  corr_matrix,
  cov_matrix,
  column_stochastic,
  row_stochastic,
};

// A declared, sized type. `type` is its unsized form; sizes are int expressions.
struct SizedType {
  const math::Type* type = nullptr;
  List<const Expr*> array_sizes;
  List<const Expr*> sizes;  // vector: 1; matrix: 2 (square constrained types have both)
  Constraint constraint = Constraint::none;
  const Expr* lower = nullptr;
  const Expr* upper = nullptr;
  const Expr* offset = nullptr;
  const Expr* multiplier = nullptr;
  List<const SizedType*> elements;  // of a tuple
};

struct Variable {
  enum class Role : std::uint8_t { global, local, loop, argument };
  std::string_view name;
  Span span;  // of the name where it is declared
  const math::Type* type = nullptr;
  const SizedType* declared = nullptr;  // null for loop variables and arguments
  BlockKind block = BlockKind::model;   // where it is declared
  Role role = Role::local;
  bool data_only = false;  // no parameter can influence its value
  std::uint32_t id = 0;    // dense, unique in the program
};

// ---- expressions ----
struct IntConstant {
  std::int32_t value;
};
struct RealConstant {
  double value;
};
struct ImagConstant {
  double value;
};
struct StringConstant {   // only in print, reject, fatal_error
  std::string_view text;  // without quotes
};
struct VariableRef {
  const Variable* variable;
};
struct FunctionRef {  // a function's name as an argument; user null: a built-in
  std::string_view name;
  const Function* user = nullptr;
};
struct Promote {  // int -> real -> complex, elementwise, to the expression's type
  const Expr* from;
};
struct Unary {
  Op op;
  const Expr* operand;
};
struct Binary {
  Op op;
  const Expr* left;
  const Expr* right;
};
struct Ternary {
  const Expr* condition;
  const Expr* yes;
  const Expr* no;
};
struct Call {
  std::string_view name;           // normalised: "normal_lpdf" also where "normal_lupdf" was written
  const Function* user = nullptr;  // null: a built-in
  List<const Expr*> arguments;
  bool drop_constants = false;  // _lupdf or _lupmf
};
struct ArrayLiteral {
  List<const Expr*> elements;
};
struct RowVectorLiteral {  // of scalars: a row vector; of row vectors: a matrix
  List<const Expr*> elements;
};
struct TupleLiteral {
  List<const Expr*> elements;
};
struct Index {
  ast::Index::Kind kind = ast::Index::Kind::all;
  const Expr* low = nullptr;   // single (int or array[] int), from, between
  const Expr* high = nullptr;  // to, between
};
struct Indexed {
  const Expr* base;
  List<Index> indices;
};
struct TupleGet {
  const Expr* base;
  int slot;  // from 1
};
struct Target {};

struct Expr {
  Span span;
  const math::Type* type = nullptr;
  bool data_only = false;  // no parameter can influence its value
  std::variant<IntConstant, RealConstant, ImagConstant, StringConstant, VariableRef, FunctionRef, Promote,
               Unary, Binary, Ternary, Call, ArrayLiteral, RowVectorLiteral, TupleLiteral, Indexed, TupleGet,
               Target>
      node;

  template <class T>
  const T* as() const {
    return std::get_if<T>(&node);
  }
};

// ---- statements ----
struct Assign {
  const Expr* target;  // VariableRef, Indexed, TupleGet or TupleLiteral (of such)
  bool compound = false;
  Op op = Op::plus;
  const Expr* value;
};
struct CallStmt {
  const Expr* call;
};
struct Tilde {
  const Expr* variate;
  std::string_view distribution;  // as written: "normal"
  std::string_view function;      // the density meant: "normal_lpdf"
  const Function* user = nullptr;
  List<const Expr*> arguments;  // without the variate
  bool truncated = false;
  const Expr* lower = nullptr;
  const Expr* upper = nullptr;
};
struct TargetPlus {
  const Expr* value;
};
struct JacobianPlus {
  const Expr* value;
};
struct Break {};
struct Continue {};
struct Print {
  List<const Expr*> items;
};
struct Reject {
  List<const Expr*> items;
};
struct FatalError {
  List<const Expr*> items;
};
struct Return {
  const Expr* value = nullptr;
};
struct If {
  const Expr* condition;
  const Stmt* yes;
  const Stmt* no = nullptr;
};
struct While {
  const Expr* condition;
  const Stmt* body;
};
struct For {
  const Variable* variable;
  const Expr* low;
  const Expr* high;
  const Stmt* body;
};
struct ForEach {
  const Variable* variable;
  const Expr* container;
  const Stmt* body;
};
struct Block {
  List<const Stmt*> statements;
};
struct Profile {
  std::string_view label;  // without quotes
  List<const Stmt*> statements;
};
struct Declare {
  const Variable* variable;
  const Expr* value = nullptr;
};

struct Stmt {
  Span span;
  std::variant<Assign, CallStmt, Tilde, TargetPlus, JacobianPlus, Break, Continue, Print, Reject, FatalError,
               Return, If, While, For, ForEach, Block, Profile, Declare>
      node;

  template <class T>
  const T* as() const {
    return std::get_if<T>(&node);
  }
};

// ---- programs ----
struct Function {
  std::string_view name;
  Span span;  // of the name
  const math::Type* result = nullptr;
  List<const Variable*> parameters;  // data_only where declared `data`
  const Stmt* body = nullptr;        // a Block; null only for a declaration whose definition is elsewhere
};

struct Program {
  std::unique_ptr<Arena> arena;
  std::vector<std::unique_ptr<math::Type>> types;  // what the nodes' type pointers point at
  std::vector<const Function*> functions;
  std::vector<const Stmt*> blocks[ast::kBlockKinds];  // blocks[functions] stays empty
  std::uint32_t variable_count = 0;

  const std::vector<const Stmt*>& block(BlockKind kind) const { return blocks[static_cast<int>(kind)]; }
};

}  // namespace kullback::lang
