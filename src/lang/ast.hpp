// The syntax tree: what was written, with every span and comment, before any name is resolved.
// Old syntax is already in its modern form here (the parser says so in a warning), so that printing
// a tree modernises it. Nodes live in the tree's arena; texts view into the SourceMap or the arena.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "base/arena.hpp"
#include "base/source.hpp"
#include "lang/operators.hpp"

namespace kullback::lang::ast {

struct Expr;
struct Stmt;
template <class T>
using List = std::span<T>;

struct Name {
  std::string_view text;
  Span span;
};

// ---- expressions ----
struct IntLiteral {
  std::string_view text;
};
struct RealLiteral {
  std::string_view text;
};
struct ImagLiteral {
  std::string_view text;  // without the trailing i
};
struct StringLiteral {    // only in print, reject, fatal_error and profile
  std::string_view text;  // with its quotes
};
struct Variable {
  Name name;
};
struct Paren {
  Expr* inner;
};
struct Prefix {
  Op op;
  Expr* operand;
};
struct Postfix {
  Op op;
  Expr* operand;
};
struct Binary {
  Op op;
  Span op_span;
  Expr* left;
  Expr* right;
};
struct Ternary {
  Expr* condition;
  Expr* yes;
  Expr* no;
};
struct Call {
  Name function;
  List<Expr*> arguments;
  bool bar = false;  // f(x | y): the first argument stands before a bar
};
struct ArrayLiteral {
  List<Expr*> elements;
};
struct RowVectorLiteral {
  List<Expr*> elements;
};
struct TupleLiteral {
  List<Expr*> elements;
};
struct Index {
  enum class Kind : std::uint8_t { all, single, from, to, between };
  Kind kind = Kind::all;
  Expr* low = nullptr;   // single, from, between
  Expr* high = nullptr;  // to, between
  bool colon = true;     // all: written ":" rather than left empty
};
struct Indexed {
  Expr* base;
  List<Index> indices;
};
struct TupleGet {
  Expr* base;
  int slot;  // from 1
};
struct Target {};  // target()

struct Expr {
  Span span;
  std::variant<IntLiteral, RealLiteral, ImagLiteral, StringLiteral, Variable, Paren, Prefix, Postfix, Binary,
               Ternary, Call, ArrayLiteral, RowVectorLiteral, TupleLiteral, Indexed, TupleGet, Target>
      node;

  template <class T>
  const T* as() const {
    return std::get_if<T>(&node);
  }
  template <class T>
  T* as() {
    return std::get_if<T>(&node);
  }
};

// ---- declared types ----
enum class BaseType : std::uint8_t {
  void_,
  int_,
  real,
  complex,
  vector,
  row_vector,
  matrix,
  complex_vector,
  complex_row_vector,
  complex_matrix,
  tuple,
  ordered,
  positive_ordered,
  simplex,
  unit_vector,
  sum_to_zero_vector,
  sum_to_zero_matrix,
  cholesky_factor_corr,
  cholesky_factor_cov,
  corr_matrix,
  cov_matrix,
  column_stochastic_matrix,
  row_stochastic_matrix,
};

struct Bounds {  // what stands in <...>; null where absent
  Expr* lower = nullptr;
  Expr* upper = nullptr;
  Expr* offset = nullptr;
  Expr* multiplier = nullptr;
};

// A sized type in a declaration, or an unsized one in a function's signature (is_sized false:
// array_rank counts the dimensions, array_sizes and sizes are empty).
struct DeclType {
  Span span;
  BaseType base = BaseType::real;
  bool is_sized = true;
  int array_rank = 0;
  List<Expr*> array_sizes;
  List<Expr*> sizes;  // vector[n], matrix[r, c], cholesky_factor_cov[r, c] or [r]
  Bounds bounds;
  List<DeclType*> elements;  // of a tuple
};

// ---- statements ----
struct Assign {
  Expr* target;  // Variable, Indexed, TupleGet, or TupleLiteral (of such) to unpack
  bool compound = false;
  Op op = Op::plus;  // of a compound assignment
  Expr* value;
};
struct CallStmt {
  Expr* call;  // always a Call
};
struct Truncation {
  bool present = false;
  Expr* lower = nullptr;
  Expr* upper = nullptr;
};
struct Tilde {
  Expr* variate;
  Name distribution;
  List<Expr*> arguments;
  Truncation truncation;
};
struct TargetPlus {
  Expr* value;
};
struct JacobianPlus {
  Expr* value;
};
struct Break {};
struct Continue {};
struct Empty {};
struct Print {
  List<Expr*> items;
};
struct Reject {
  List<Expr*> items;
};
struct FatalError {
  List<Expr*> items;
};
struct Return {
  Expr* value = nullptr;  // null: return;
};
struct If {
  Expr* condition;
  Stmt* yes;
  Stmt* no = nullptr;
};
struct While {
  Expr* condition;
  Stmt* body;
};
struct For {
  Name variable;
  Expr* low;
  Expr* high;
  Stmt* body;
};
struct ForEach {
  Name variable;
  Expr* container;
  Stmt* body;
};
struct Block {
  List<Stmt*> statements;
};
struct Profile {
  Expr* label;  // a StringLiteral
  List<Stmt*> statements;
};
struct Declared {
  Name name;
  Expr* value = nullptr;
};
struct Declare {
  DeclType* type;
  List<Declared> variables;
};
struct Parameter {
  bool data_only = false;
  DeclType* type;
  Name name;
};
struct Function {
  DeclType* result;  // base void_ for a function that returns nothing
  Name name;
  List<Parameter> parameters;
  Stmt* body = nullptr;  // null: a forward declaration
};

struct Stmt {
  Span span;
  std::variant<Assign, CallStmt, Tilde, TargetPlus, JacobianPlus, Break, Continue, Empty, Print, Reject,
               FatalError, Return, If, While, For, ForEach, Block, Profile, Declare, Function>
      node;
  List<Name> annotations = {};  // @name in front of a statement, declaration or function

  template <class T>
  const T* as() const {
    return std::get_if<T>(&node);
  }
  template <class T>
  T* as() {
    return std::get_if<T>(&node);
  }
};

// ---- programs ----
enum class BlockKind : std::uint8_t {
  functions,
  data,
  transformed_data,
  parameters,
  transformed_parameters,
  model,
  generated_quantities,
};
inline constexpr int kBlockKinds = 7;
std::string_view to_string(BlockKind kind);  // "transformed data"

struct ProgramBlock {
  bool present = false;
  Span span = {};  // from the first keyword to the closing brace
  Span open = {};  // the opening brace
  List<Stmt*> statements = {};
};

struct Comment {
  enum class Kind : std::uint8_t { line, block, include };
  Kind kind = Kind::line;
  Span span;
  std::string_view text;  // modern form: "// ..." or "/* ... */"; for an include its directive
};

struct Tree {
  std::unique_ptr<Arena> arena = std::make_unique<Arena>();
  FileId file = 0;              // the main file; nodes from included files have another file in their spans
  bool functions_only = false;  // a .stanfunctions file: statements of blocks[functions] without the block
  ProgramBlock blocks[kBlockKinds];
  std::vector<Comment> comments;  // of all files, in order of appearance

  ProgramBlock& block(BlockKind kind) { return blocks[static_cast<int>(kind)]; }
  const ProgramBlock& block(BlockKind kind) const { return blocks[static_cast<int>(kind)]; }
};

}  // namespace kullback::lang::ast
