// The state of one check, and what each part of it offers the others. The parts are the .cpp files beside
// this one: program, functions, declarations, statements, assignments, tilde, expressions, indexing,
// calls, higher_order, report.
//
// A Value without an expression is one that failed: it was reported, and whatever is made of it fails
// silently.
#pragma once

#include <deque>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "lang/ast.hpp"
#include "lang/check.hpp"
#include "lang/check/environment.hpp"
#include "lang/check/names.hpp"
#include "lang/check/resolver.hpp"
#include "lang/check/scratch.hpp"
#include "lang/check/type_table.hpp"
#include "lang/program.hpp"

namespace kullback::math {
struct HigherOrder;
struct Laplace;
}  // namespace kullback::math

namespace kullback::lang {

// Whether a value is differentiated, by Stan's rules: ints never are, local variables of the model always
// are. The elements of a tuple may differ; where they do not, `elements` is null. (Expr::data_only is
// another question: whether a parameter can influence the value.)
struct Level {
  bool autodiff = false;
  const Level* elements = nullptr;  // one for each element of the tuple
};

struct Value {
  const Expr* expr = nullptr;
  Level level = {};

  explicit operator bool() const { return expr != nullptr; }
  const math::Type* type() const { return expr->type; }
};

// How control leaves a statement: complete when it always returns, jumps when a break may leave it.
enum class Flow : std::uint8_t { incomplete, complete, jumps };

struct Effect {
  const Stmt* stmt = nullptr;
  Flow flow = Flow::incomplete;
};

// Where we are.
struct Context {
  BlockKind block = BlockKind::functions;
  bool top_level = false;        // a declaration here declares a global variable
  bool in_size = false;          // inside the sizes of a global declaration
  Overload* function = nullptr;  // whose body we are in
  int loop_depth = 0;
};

// A call of a built-in that takes functions.
struct HigherCall {
  Span span;
  const ast::Name& function;
  Name& entry;
  ast::List<ast::Expr*> exprs;
  std::span<const Value> arguments;
};

// A function as an argument: one of its overloads.
struct Callback {
  std::string_view name;
  const Overload* user = nullptr;  // null: a built-in
  math::Signature signature = {};
  Suffix suffix = Suffix::plain;
};

// How arguments fit what is expected of them.
struct Fit {
  bool ok = false;
  int cost = 0;
  std::vector<math::Argument> expected = {};
  std::size_t bad = 0;   // which argument does not fit
  std::string why = {};  // "must be a vector, but is a real"
  bool by_call = false;  // the call as a whole does not fit: wrong number of arguments
};

struct Choice {
  const Callback* callback = nullptr;
  Fit fit = {};
  bool ambiguous = false;
};

class Checker final {
 public:
  Checker(const ast::Tree& tree, const CheckOptions& options);
  Checked run();

 private:
  using Type = math::Type;
  using Kind = math::Kind;
  using Values = ScratchPool<Value>::Vector;
  using Exprs = ScratchPool<const Expr*>::Vector;
  using Stmts = ScratchPool<const Stmt*>::Vector;

  // ---- program.cpp ----
  void check_block(BlockKind kind);
  void sort_diagnostics();
  void check_identifier(const ast::Name& name);
  void check_fresh(const ast::Name& name, const Name& entry);
  const Variable* declare(const ast::Name& name, Variable variable);

  // ---- functions.cpp ----
  void hoist_functions();
  void hoist(const ast::Function& function);
  Overload* earlier_overload(const ast::Function& function, Name& entry, const math::Signature& signature,
                             bool& clash);
  bool clashes_with_builtin(const ast::Function& function, const Name& entry,
                            const math::Signature& signature);
  void check_signature_rules(const ast::Function& function, const math::Signature& signature);
  Overload* detached_overload(const Name& entry, const ast::Function& function,
                              const math::Signature& signature);
  List<const Variable*> parameters_of(const ast::Function& function);
  void check_function(const ast::Function& function, Overload& overload);
  void check_all_defined();
  void check_second_derivatives();
  const Type* unsized_type(const ast::DeclType& type);

  // ---- declarations.cpp ----
  void check_declaration(const ast::Stmt& stmt, const ast::Declare& declare, std::vector<const Stmt*>& out);
  const SizedType* sized_type(const ast::Stmt& stmt, const ast::DeclType& type, bool global);
  List<const Expr*> sizes(ast::List<ast::Expr*> exprs, bool global, std::string_view what);
  void check_bounds(const ast::DeclType& type, SizedType& sized);
  const Expr* bound(const ast::Expr* expr, const Type* type, std::string_view what);
  void check_declared_type(const ast::Stmt& stmt, const ast::DeclType& type, const SizedType& sized);
  const Expr* initial_value(const ast::Stmt& stmt, const ast::Declared& declared, const Variable& variable);

  // ---- statements.cpp ----
  Effect statement(const ast::Stmt& stmt);
  Effect inner_statement(const ast::Stmt& stmt);
  Effect scoped(const ast::Stmt& stmt);
  Effect block(Span span, ast::List<ast::Stmt*> list);
  Effect profile(const ast::Stmt& stmt, const ast::Profile& node);
  Effect lone_declaration(const ast::Stmt& stmt, const ast::Declare& node);
  Flow statements(ast::List<ast::Stmt*> list, std::vector<const Stmt*>& out);
  Effect if_chain(const ast::Stmt& stmt);
  Effect while_loop(const ast::Stmt& stmt, const ast::While& loop);
  Effect for_loop(const ast::Stmt& stmt, const ast::For& loop);
  Effect foreach_loop(const ast::Stmt& stmt, const ast::ForEach& loop);
  Effect loop_body(const ast::Stmt& body);
  Effect return_statement(const ast::Stmt& stmt, const ast::Return& node);
  List<const Expr*> printed(ast::List<ast::Expr*> items);
  const Expr* increment(const ast::Expr& value);
  bool require_loop(Span span, std::string_view word);

  // ---- assignments.cpp ----
  Effect assignment(const ast::Stmt& stmt, const ast::Assign& assign);
  Value target_of(const ast::Expr& expr);
  Value place(const ast::Expr& expr);
  Value place_variable(const ast::Name& name, Span span);
  bool check_overlap(const Expr& target);
  const Expr* assigned(const Expr& target, const Value& value, const ast::Expr& value_expr);
  const Expr* compound(const ast::Assign& assign, const Expr& target, const Value& value);
  std::string conversion_hint(const Type* from, const Type* to) const;
  void warn_self_assignment(Span span, const Expr& target, const Expr& value);

  // ---- tilde.cpp ----
  Effect tilde(const ast::Stmt& stmt, const ast::Tilde& node);
  bool check_distribution_name(const ast::Tilde& node);
  const Expr* truncation_bound(const ast::Expr* expr);
  bool has_cdfs(const ast::Tilde& node, const Expr* bound, std::span<const Value> arguments);
  const Resolved* density(const ast::Tilde& node, std::span<const Value> arguments, Name*& chosen);
  Effect laplace_tilde(const ast::Stmt& stmt, const ast::Tilde& node, std::span<const Value> values,
                       Name& entry, Tilde made);
  void report_unknown_distribution(const ast::Name& name, const Value& variate);

  // ---- expressions.cpp ----
  Value expression(const ast::Expr& expr);
  Value typed(const ast::Expr& expr, Kind kind, std::string_view what, std::string_view code);
  Value leaf(const ast::Expr& expr);
  Value apply(const ast::Expr& parent, Value left);
  Value variable(const ast::Expr& expr, const ast::Name& name);
  Value function_name(const ast::Expr& expr, const ast::Name& name, Name& entry);
  Value unary(const ast::Expr& expr, Op op, Value operand);
  Value binary(const ast::Expr& expr, const ast::Binary& node, Value left, Value right);
  void warn_binary(const ast::Expr& expr, const ast::Binary& node, const Value& left, const Value& right);
  Value ternary(const ast::Expr& expr, const ast::Ternary& node);
  Value target_value(const ast::Expr& expr);
  bool check_all(ast::List<ast::Expr*> exprs, std::vector<Value>& out);
  bool is_value(const Value& value);
  Level join(const Level& a, const Level& b, const Type* type);
  Level level_of(const Variable& variable) const;
  Level element_level(const Level& level, const Type* tuple, std::size_t slot);
  bool is_autodiff(const Level& level, const Type* type);
  Value make(Span span, const Type* type, Level level, bool data_only, decltype(Expr::node) node);

  // ---- literals.cpp ----
  Value int_literal(const ast::Expr& expr, std::string_view text);
  Value real_literal(const ast::Expr& expr, std::string_view text, bool imaginary);
  Value array_literal(const ast::Expr& expr, ast::List<ast::Expr*> elements);
  Value row_vector_literal(const ast::Expr& expr, ast::List<ast::Expr*> elements);
  Value tuple_literal(const ast::Expr& expr, ast::List<ast::Expr*> elements);
  bool check_elements(ast::List<ast::Expr*> elements, std::vector<Value>& out);
  Level join_all(std::span<const Value> values, const Type* type);
  const Type* common(const Type* a, const Type* b);
  bool promotes(const Type* from, const Type* to);
  const Expr* promote(const Expr* expr, const Type* to);
  const Type* row_element(const Type* literal);
  List<const Expr*> promote_all(std::span<const Expr* const> exprs, const Type* to);

  // ---- indexing.cpp ----
  Value indexed(const ast::Expr& expr, const ast::Indexed& node, Value base);
  Value tuple_get(const ast::Expr& expr, int slot, Value base);
  bool indices(ast::List<ast::Index> list, std::vector<Index>& out, bool& data_only);
  const Expr* index_value(const ast::Expr& expr);
  const Expr* range_bound(const ast::Expr& expr);
  const Type* indexed_type(const Type* type, std::span<const Index> indices);
  static bool is_multi(const Index& index);

  // ---- calls.cpp ----
  Value call(const ast::Expr& expr, const ast::Call& node);
  Effect call_statement(const ast::Stmt& stmt, const ast::CallStmt& node);
  Value plain_call(Span span, const ast::Name& function, Name& entry, std::span<const Value> arguments);
  Value call_value(Span span, const Type* type, std::span<const Value> arguments, Call node);
  bool values_only(std::span<const Value> values);
  bool is_callable(const ast::Name& function, Name& entry);
  Name& function_entry(std::string_view name);
  std::span<const Found> found(std::span<const Value> arguments);
  void note_callee(const Overload* user, std::string_view builtin);
  bool check_bar(const ast::Call& node);
  bool check_unnormalized(const ast::Name& name);
  void check_call_place(const ast::Call& node, std::span<const Value> arguments);
  void check_rng_place(const ast::Name& name);
  void warn_idle_jacobian(const ast::Call& node, std::span<const Value> arguments);
  void require_target(Span span, std::string_view what);
  void require_jacobian(Span span, std::string_view what);
  void report_unused_result(const ast::Call& call);

  // ---- higher_order.cpp ----
  static bool takes_functions(const HigherCall& call);
  Value higher_order_call(const HigherCall& call);
  Value callback_call(const HigherCall& call, const math::HigherOrder& record);
  bool check_slice(const HigherCall& call);
  Fit fit(const math::HigherOrder& record, const Callback& callback, std::span<const Value> arguments);
  Fit fit_arguments(std::span<const math::Argument> expected, std::span<const Value> found);
  std::vector<Callback> callbacks(const Value& value);
  Choice choose(const math::HigherOrder& record, std::span<const Callback> candidates,
                std::span<const Value> arguments);
  void report_ambiguous_callback(const HigherCall& call, Span span, const Callback& callback);
  const Expr* callback_reference(const ast::Expr& expr, const Callback& callback);
  void report_misfit(const HigherCall& call, const math::HigherOrder& record, const Fit& fit);

  // ---- laplace.cpp ----
  Value laplace_call(const HigherCall& call, const math::Laplace& record);
  bool laplace_likelihood(const HigherCall& call, const math::Laplace& record, std::vector<const Expr*>& out);
  bool laplace_function(const HigherCall& call, std::size_t at, const math::Signature& required,
                        std::vector<const Expr*>& out);
  bool laplace_block_size(const HigherCall& call, std::size_t at);
  bool laplace_controls(const HigherCall& call, std::size_t at, const math::Laplace& record,
                        std::vector<const Expr*>& out);
  void report_forwarding(const HigherCall& call, std::size_t at, const math::Signature& required,
                         const Fit& fit);
  bool is_data_tuple(const HigherCall& call, std::size_t at);
  void report_laplace_form(const HigherCall& call, const math::Laplace& record);

  // ---- report.cpp ----
  Diagnostic& error(std::string_view code, Span span, std::string message, std::string hint = {});
  Diagnostic& warning(std::string_view code, Span span, std::string message, std::string hint = {});
  void report_undefined_variable(const ast::Name& name, Name& entry);
  void report_undefined_function(const ast::Name& name, Name& entry);
  std::vector<math::Signature> all_signatures(const Name& entry) const;
  void report_mismatch(const ast::Name& name, const Resolved& resolved, std::span<const Value> arguments);
  void report_ambiguous(const ast::Name& name, const Resolved& resolved, std::span<const Value> arguments);
  void report_operator(const ast::Expr& expr, Op op, std::initializer_list<const Value*> operands);
  std::string suggestion(std::string_view name, bool functions_first);
  std::string describe(const ast::Expr& expr, const Type* type);

  const ast::Tree& tree_;
  const CheckOptions& options_;
  std::unique_ptr<Program> program_;
  Arena& arena_;
  TypeTable types_;
  Environment environment_;
  Resolver resolver_;
  Diagnostics diagnostics_;
  bool failed_ = false;
  int suggestions_left_ = 200;  // the search is slow: a file of nothing but errors must not take minutes
  Context context_;
  std::vector<std::pair<const ast::Function*, Overload*>> hoisted_;
  std::deque<Overload> detached_;
  std::vector<std::pair<Span, const Overload*>> twice_differentiated_;

  const Type* int_;
  const Type* real_;
  const Type* complex_;
  const Type* void_;
  const Type* function_;

  std::vector<const ast::Expr*> spine_;
  std::vector<Found> found_;
  std::string name_buffer_;
  ScratchPool<Value> value_pool_;
  ScratchPool<const Expr*> expr_pool_;
  ScratchPool<const Stmt*> stmt_pool_;
  ScratchPool<Index> index_pool_;
};

// ---- text of messages (report.cpp) ----
std::string quoted(std::string_view name);                  // 'name'
std::string with_article(const math::Type& type);           // "an int", "a vector"
std::string listed(std::span<const Value> arguments);       // "(real, array[] int)"
std::string counted(std::size_t n, std::string_view noun);  // "1 argument", "2 arguments"
std::string ordinal(std::size_t n);                         // "first", ..., "12th"

}  // namespace kullback::lang
