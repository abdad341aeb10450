// Runs a program once, recording on a Builder what depends on parameters. With parameters given as constants
// the same code is the interpreter of transformed data and generated quantities.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/source.hpp"
#include "lang/autodiff.hpp"
#include "lang/program.hpp"
#include "tape/record/builder.hpp"
#include "tape/record/value.hpp"

namespace kullback {
class Random;
}

namespace kullback::tape {

// reject(), fatal_error() or a function that refuses its arguments.
struct Rejection {
  std::string message;
  Span span;
  // What to change in the program or the data, where parameters had no part in it; else empty.
  std::string hint = {};
};

struct TraceOptions {
  bool normalized = false;  // keep the constants that `~` drops
  bool jacobian = true;
};

// A parameter's unconstrained numbers (layout.cpp).
struct FreeBlock {
  std::string name;  // "sigma"; slots of tuples have their own: "t.2", of an array of tuples "t[3].2"
  std::size_t size = 0;
  const math::TransformDef* transform = nullptr;
  bool bounds_are_data = true;
  std::size_t simplex_size = 0;                  // coordinates of one simplex, in a row; 0: no simplexes
  std::vector<std::vector<double>> bounds = {};  // as the transform's bound_names, where they are data
};

// ---- indexing (index.cpp) ----
struct Selection {
  bool single = false;
  std::vector<std::size_t> at = {};  // from 0
  std::vector<RowTag> tags = {};     // rows of the index, one for each place; empty: none
};
// Positions in the value's numbers, in the order of the result, and what the result is.
struct Selected {
  math::Type type;
  Dims dims;
  std::vector<std::size_t> positions;
  std::vector<RowTag> tags;  // rows that chose each position; empty: none
};
Selected select(const Value& value, std::span<const Selection> selections);
Value take(const Value& value, const Selected& selected);

// Sees the statements of blocks before they are executed, of functions print() only.
class StatementHook {
 public:
  virtual ~StatementHook() = default;
  virtual bool take(const lang::Stmt& stmt) = 0;  // true: all that the statement asks for is done
};

class Tracer final {
 public:
  Tracer(const lang::Program& program, const SourceMap& sources, Builder& builder, TraceOptions options = {},
         Random* random = nullptr);
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  void set(const lang::Variable& variable, Value value);
  const Value& get(const lang::Variable& variable) const;
  // Values of all variables by their id, to begin where another Tracer ended.
  const std::vector<Value>& values() const { return globals_; }
  void set_values(std::vector<Value> values) { globals_ = std::move(values); }
  void set_random(Random* random) { random_ = random; }
  void set_hook(StatementHook* hook) { hook_ = hook; }

  // Runs the statements of a block and checks the constraints of its variables. Throws Rejection, or Error
  // for what cannot run at all.
  void run(lang::BlockKind block);
  // Some statements of a block, without its checks; then the rest of a block, with them.
  void run_statements(std::span<const lang::Stmt* const> statements);
  void run_rest(lang::BlockKind block, std::size_t first);
  // The parameters block: takes free parameters from `free` in order and constrains them.
  void declare_parameters(const Ids& free);
  // One of its statements; `used` counts the numbers taken so far.
  void declare_parameter(const lang::Stmt& stmt, const Ids& free, std::size_t& used);
  // The free numbers of each parameter, once they are declared.
  struct ParameterRange {
    const lang::Variable* variable = nullptr;
    std::size_t first = 0;
    std::size_t size = 0;
    Dims dims;  // of the constrained value
  };
  const std::vector<ParameterRange>& parameter_ranges() const { return parameter_ranges_; }
  // How many free parameters the program has, for these data.
  std::size_t count_free_parameters();
  std::size_t free_count(const lang::SizedType& type);
  // Their groups, in order.
  std::vector<FreeBlock> free_blocks();

  Value eval(const lang::Expr& expr);
  int eval_int(const lang::Expr& expr, RowTag* tag = nullptr);  // joins its rows to the tag
  Value unset(const lang::SizedType& type);                     // with the sizes of the declaration

  Builder& builder() { return builder_; }
  const lang::Program& program() const { return program_; }
  const SourceMap& sources() const { return sources_; }
  const TraceOptions& options() const { return options_; }
  Random* random() { return random_; }
  Span here() const { return builder_.span(); }
  [[noreturn]] void refuse(const std::string& message) const;  // Rejection at the current statement
  // The same, of what no number of the trace decides: it happens at every point unless a comparison of
  // parameters has led here.
  [[noreturn]] void refuse_always(const std::string& message, const std::string& hint) const;
  [[noreturn]] void cannot_run(const lang::Expr& expr, const std::string& what) const;

  // ---- rows of the data (rows.cpp); nothing to do where rows are not tracked ----
  RowTag tag_of(const Value& value) const;
  Value tagged(Value value, RowTag tag);                       // belonging to these rows too
  Value tagged(Value value, const std::vector<RowTag>& tags);  // one tag for each number, or one for all
  Value tagged_like(const Ids& numbers, Value ints);           // ints that were made of these numbers
  Value int_result(int number, RowTag tag) const;
  // The result of a function that may use its arguments' numbers without recording it: it belongs to their
  // row. Throws Error where data of several rows meet in it.
  Value of_one_row(std::string_view name, std::span<const Value> arguments, Value result);

  // ---- ints (ints.cpp): what is beyond Stan's is refused, with the numbers ----
  int int_operation(lang::Op op, int a, int b) const;  // a + b, ...
  int negated(int a) const;
  int checked_int(std::string_view function, double result) const;  // a whole number that a function returns

  // ---- shared with the built-in functions ----
  Ids reals(const Value& value);  // ints become constants
  Value apply(const math::Elementwise& f, std::span<const Value> arguments, const math::Type& result);
  Value apply(const math::ArrayOp& f, std::span<const Value> arguments, const math::Type& result,
              math::Terms terms = {});
  Value transposed(const Value& value, const math::Type& type);
  // How a user's function is called: its arguments as they are written there (null: an int), and whether by
  // `~` or _lupdf. Functions that cannot drop constants need neither.
  struct CallForm {
    std::span<const lang::Expr* const> written = {};
    bool drops = false;
  };
  Value call_user(const lang::Function& function, std::vector<Value> arguments, CallForm form);
  // "normal_rng" of these parameters as a value of the expression's type; false where there is none.
  bool call_random(const lang::Expr& expr, std::string_view name, std::span<const Value> parameters,
                   Value& result);
  double draw_one(const math::Distribution& distribution, std::span<const double> parameters);
  void add_jacobian(Id id) {
    if (options_.jacobian) builder_.add_target(id);
  }

 private:
  enum class Flow { next, break_, continue_, return_ };

  // statements (stmt.cpp)
  Flow execute(const lang::Stmt& stmt);
  Flow execute_all(lang::List<const lang::Stmt*> statements);
  Flow execute_if(const lang::If& node);
  Flow execute_for(const lang::For& node);
  void set_loop_variable(Value& place, int i, RowTag tag) const;
  Flow execute_for_each(const lang::ForEach& node);
  Flow execute_while(const lang::While& node);
  void declare(const lang::Declare& node);
  void assign(const lang::Expr& target, Value value);
  void add_to_target(const Value& value);
  void execute_tilde(const lang::Tilde& node, const lang::Stmt& stmt);
  std::string text_of(lang::List<const lang::Expr*> items);

  // y ~ f(...) T[L, U] (truncate.cpp)
  void truncate(const lang::Tilde& node, const std::vector<Value>& arguments);
  bool is_outside(const Value& variate, const Value* lower, const Value* upper);
  Id log_mass(const lang::Tilde& node, const std::vector<Value>& arguments, const Value* lower,
              const Value* upper);
  Id log_cumulative(const lang::Tilde& node, std::vector<Value> arguments, bool upper_tail);

  // declared types (declare.cpp)
  Dims sizes_of(const lang::SizedType& type);
  Value constrain(const lang::SizedType& type, const Ids& free, std::size_t& used);
  // Transforms of one number at a time (transform.cpp); false for others.
  bool constrain_elements(const math::TransformDef& transform, const Ids& free, std::vector<Ids> bounds,
                          Ids& value);
  void add_free_blocks(const lang::SizedType& type, const std::string& name, std::vector<FreeBlock>& blocks);
  math::Shape shape_of(const lang::SizedType& type, const Dims& dims) const;

  // expressions (expr.cpp)
  Value eval_general(const lang::Expr& expr);
  bool compare_numbers(lang::Op op, Id left, Id right);
  Value promote(const Value& value, const math::Type& type);
  Value eval_unary(const lang::Expr& expr, const lang::Unary& node);
  Value eval_binary(const lang::Expr& expr);
  Value combine(const lang::Expr& expr, lang::Op op, const Value& left, const Value& right);
  Value combine_ints(lang::Op op, const Value& left, const Value& right);
  Value compare(lang::Op op, const Value& left, const Value& right);
  Value eval_literal(const lang::Expr& expr, lang::List<const lang::Expr*> elements);
  Value& place(const lang::Variable& variable);
  // The places that an index names along dimension `d` of the value of `base`.
  Selection selection(const lang::Index& index, const Value& value, std::size_t d, const lang::Expr& base);

  // calls (call.cpp)
  Value call(const lang::Expr& expr, const lang::Call& node);
  Value call_array_op(const math::ArrayOp& f, const lang::Call& node, const math::Type& result);
  bool call_density(std::string_view name, std::span<const Value> arguments, math::Terms terms,
                    Value& result);
  // The terms that a density keeps which `key` calls with these arguments.
  math::Terms terms_of(const void* key, std::span<const lang::Expr* const> arguments, bool drops) const;
  Value draw_univariate(const lang::Expr& expr, std::string_view name, std::span<const Value> parameters);
  Value draw_multivariate(const lang::Expr& expr, std::string_view name, std::span<const Value> parameters);
  Value random_value(const lang::Expr& expr, Dims dims, const std::vector<double>& draws);
  Id density_sum(const math::Distribution& of, const math::Density& density, std::span<const Value> arguments,
                 math::Terms terms);

  // checks (checks.cpp): each refuses what is wrong
  void check_constraints(lang::BlockKind block);
  void check_constraint(const lang::SizedType& type, const Value& value, const std::string& subject);
  void check_domain(const math::Distribution& distribution, std::string_view suffix,
                    std::span<const Value> arguments);
  std::string statement_text() const;  // in one line, shortened: "y ~ normal(mu, sigma)"
  void check_set(const Value& value, const lang::Expr& from) const;
  const Value& read(const Value& value, const lang::Expr& from) const;
  std::string name_of(const lang::Expr& expr) const;  // as it is written, in quotes

  // scalar expressions without temporaries (quick.cpp)
  struct QuickNode {
    bool quick = false;
    const math::Elementwise* f = nullptr;              // what an operator or call applies
    const math::Distribution* distribution = nullptr;  // of a call to its density or its random numbers
    const math::ArrayOp* array_op = nullptr;           // of a call that turned out to be one
  };
  static constexpr std::size_t kMaxQuickIndices = 8;
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);
  const QuickNode& quick(const lang::Expr& expr, int depth = 0);
  bool finds_quick(const lang::Expr& expr, QuickNode& node, int depth);
  bool finds_quick_element(const lang::Indexed& node, int depth);
  int quick_int(const lang::Expr& expr);
  Id quick_real(const lang::Expr& expr);
  bool quick_compare(const lang::Binary& node);
  bool finds_quick_call(const lang::Expr& expr, const lang::Call& call, QuickNode& node);
  Id quick_density(const lang::Expr& expr, const lang::Call& call, const math::Distribution& distribution);
  double quick_random(const lang::Call& call, const math::Distribution& distribution);
  std::size_t quick_position(const lang::Indexed& node, const Value& base);
  // False where the general assignment is to do it.
  bool assign_quick(const lang::Assign& node);
  const Value& variable_value(const lang::Variable& variable) const;
  // rows of the data (rows.cpp)
  RowTag tag_of_data(const Value& value) const;  // of its constants
  void tag_structural(std::string_view name, std::span<const Value> arguments, Value& result);
  Flow execute_controlled(const lang::If& node, const lang::Stmt* taken, RowTag tag);
  // `unknown`: a variable whose value here is not that inside the statement.
  void tag_assigned(const lang::Stmt& stmt, RowTag tag, const lang::Variable* unknown = nullptr);
  std::vector<RowTag> tags_of_assigned(const lang::Expr& target, const Value& value, RowTag tag,
                                       const std::set<const lang::Variable*>& changed);
  void end_iteration(const lang::Stmt& body, RowTag before);
  struct Loop {
    const lang::Stmt& body;
    const lang::Variable* variable = nullptr;
    RowTag before;  // control
    RowTag bounds;
  };
  void end_loop(const Loop& loop);

  const lang::Program& program_;
  const SourceMap& sources_;
  Builder& builder_;
  TraceOptions options_;
  Random* random_;
  StatementHook* hook_ = nullptr;
  std::vector<Value> globals_;  // by variable id
  std::vector<std::unordered_map<std::uint32_t, Value>*> frames_;
  lang::CallScope outside_;  // of functions
  lang::CallScope* scope_ = &outside_;
  Value returned_;
  Id nan_;
  std::unordered_map<const lang::Expr*, QuickNode> quick_;
  std::vector<ParameterRange> parameter_ranges_;
  bool sizes_are_tagged_ = false;  // some size depends on a row
};

// Whether a density keeps no term at all.
inline bool drops_all(math::Terms terms) { return !terms.normalized && terms.varying == 0; }

std::string dims_text(const Dims& dims);  // "dimensions [2, 3]"

// ---- built-in functions on sizes, indexes and ints (calls/structural.cpp) ----
// Null where there is none of this name.
using Structural = Value (*)(Tracer& tracer, std::span<const Value> arguments, const math::Type& result);
Structural find_structural(std::string_view name);
// sum, min, max, abs, ... of ints; false where it is none of these.
bool call_on_ints(Tracer& tracer, std::string_view name, std::span<const Value> arguments, Value& result);

bool has_random(std::string_view name);  // "normal_rng" (random.cpp)
const math::Distribution* univariate_random(std::string_view name);

// True where some overload of the built-in function runs. What does not is listed in math/unsupported.def.
bool is_supported(std::string_view name);

}  // namespace kullback::tape
