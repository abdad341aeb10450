#include "lang/modernize.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "lang/modernize_names.hpp"
#include "lang/modernize_types.hpp"
#include "lang/modernize_walk.hpp"
#include "lang/old_functions.hpp"
#include "lang/print.hpp"
#include "math/signatures.hpp"

// One walk through the program in source order, which knows the types of the variables in scope: in old Stan
// fabs(n) and if_else(c, m, n) were real even of ints, and a real could be a condition. Where that would
// change the meaning (fabs(n) / 2 is no integer division) the modern form says so (abs(1.0 * n) / 2).

namespace kullback::lang {

namespace {

using math::Kind;
using Reason = NamePlan::Reason;

// Hints show modern code; what is longer is shown by its name.
constexpr std::uint32_t kMaxShown = 120;

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

std::uint32_t length(Span span) { return span.end - span.begin; }

bool is_division(const ast::Expr& expr) {
  const auto* binary = expr.as<ast::Binary>();
  return binary != nullptr && binary->op == Op::divide;
}

class Modernizer final {
 public:
  explicit Modernizer(ast::Tree& tree) : tree_(tree), names_(tree) {}

  Diagnostics run() {
    for (const ast::Stmt* stmt : tree_.block(ast::BlockKind::functions).statements) declare_function(*stmt);
    for (int kind = 0; kind < ast::kBlockKinds; ++kind) {
      block_ = static_cast<ast::BlockKind>(kind);
      const bool local = block_ == ast::BlockKind::model;
      if (local) scopes_.open();
      for (ast::Stmt* stmt : tree_.blocks[kind].statements) walk(*stmt);
      if (local) scopes_.close();
    }
    for (const auto& [index, expr] : shown_) diagnostics_[index].hint = "Write " + shown(*expr);
    std::stable_sort(diagnostics_.begin(), diagnostics_.end(), [](const Diagnostic& a, const Diagnostic& b) {
      return std::tie(a.span.file, a.span.begin) < std::tie(b.span.file, b.span.begin);
    });
    return std::move(diagnostics_);
  }

 private:
  // ---- messages ----
  void warn(std::string code, Span span, std::string message, std::string hint) {
    diagnostics_.push_back({Severity::warning, std::move(code), span, std::move(message), std::move(hint)});
  }

  // The hint will be the expression as it stands when all is done.
  void warn(std::string code, Span span, std::string message, const ast::Expr& modern) {
    shown_.push_back({diagnostics_.size(), &modern});
    warn(std::move(code), span, std::move(message), std::string{});
  }

  static std::string shown(const ast::Expr& expr) {
    if (length(expr.span) <= kMaxShown) return format(expr);
    const auto* call = expr.as<ast::Call>();
    if (call == nullptr) return expr.as<ast::Ternary>() ? "c ? a : b" : "... != 0";
    return std::string(call->function.text) + (call->bar ? "(... | ...)" : "(...)");
  }

  // ---- statements ----
  void declare_function(const ast::Stmt& stmt) {
    const auto* function = stmt.as<ast::Function>();
    if (function != nullptr) scopes_.declare_function(function->name.text, unsized_type(*function->result));
  }

  void walk(ast::Stmt& stmt) {
    if (auto* function = stmt.as<ast::Function>()) {
      walk_function(*function);
    } else if (auto* declare = stmt.as<ast::Declare>()) {
      walk_declare(*declare);
    } else if (stmt.as<ast::If>()) {
      walk_if(stmt);
    } else if (auto* block = stmt.as<ast::Block>()) {
      walk_scoped(block->statements);
    } else if (auto* profile = stmt.as<ast::Profile>()) {
      walk_scoped(profile->statements);
    } else if (walk_loop(stmt)) {
      return;
    } else {
      if (auto* tilde = stmt.as<ast::Tilde>()) rewrite_distribution(tilde->distribution);
      for_each_operand(stmt, [this](ast::Expr*& expr) { rewrite(expr); });
    }
  }

  void walk_scoped(ast::List<ast::Stmt*> statements) {
    scopes_.open();
    for (ast::Stmt* stmt : statements) walk(*stmt);
    scopes_.close();
  }

  void walk_function(ast::Function& function) {
    const NamePlan::Change change = names_.of_function(function.name.text);
    if (change.reason != Reason::none &&
        (function.body != nullptr || !warned_.contains(function.name.text))) {
      warned_.insert(function.name.text);
      warn_name(function.name, change);
    }
    if (change.reason != Reason::none) function.name.text = change.name;
    scopes_.open();
    for (ast::Parameter& parameter : function.parameters)
      declare(parameter.name, unsized_type(*parameter.type));
    function_ = &function;
    if (function.body != nullptr) walk(*function.body);
    function_ = nullptr;
    scopes_.close();
  }

  // Arguments that are passed on to where data is needed. What is called is defined further up in old
  // programs.
  void require_data(const ast::Call& call) {
    if (function_ == nullptr) return;
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      const auto* variable = call.arguments[i]->as<ast::Variable>();
      const bool needed = takes_data(call.function.text, i) || made_data_.contains({call.function.text, i});
      if (variable != nullptr && needed) make_data(variable->name.text);
    }
  }

  void make_data(std::string_view name) {
    for (std::size_t i = 0; i < function_->parameters.size(); ++i) {
      ast::Parameter& parameter = function_->parameters[i];
      if (parameter.name.text != name || parameter.data_only) continue;
      parameter.data_only = true;
      made_data_.insert({function_->name.text, i});
      warn("old-data-argument", parameter.name.span,
           quoted(name) + " is passed on to an argument that takes only data, and must be declared data now.",
           "Write data before its type");
    }
  }

  void walk_declare(ast::Declare& declaration) {
    for_each_operand(*declaration.type, [this](ast::Expr*& expr) { rewrite(expr); });
    const math::Type type = unsized_type(*declaration.type);
    for (ast::Declared& variable : declaration.variables) {
      if (variable.value != nullptr) rewrite(variable.value);
      declare(variable.name, type);
    }
  }

  // An else-if chain is a list, however deep its tree.
  void walk_if(ast::Stmt& first) {
    for (ast::Stmt* stmt = &first; stmt != nullptr;) {
      auto* branch = stmt->as<ast::If>();
      if (branch == nullptr) return walk_body(*stmt);
      rewrite_condition(branch->condition);
      walk_body(*branch->yes);
      stmt = branch->no;
    }
  }

  void walk_body(ast::Stmt& body) {
    scopes_.open();
    walk(body);
    scopes_.close();
  }

  bool walk_loop(ast::Stmt& stmt) {
    if (auto* loop = stmt.as<ast::While>()) {
      rewrite_condition(loop->condition);
      walk_body(*loop->body);
    } else if (auto* count = stmt.as<ast::For>()) {
      rewrite(count->low);
      rewrite(count->high);
      walk_counted(count->variable, math::Type{Kind::int_}, *count->body);
    } else if (auto* each = stmt.as<ast::ForEach>()) {
      rewrite(each->container);
      walk_counted(each->variable, element_type(*each->container), *each->body);
    } else {
      return false;
    }
    return true;
  }

  void walk_counted(ast::Name& variable, math::Type type, ast::Stmt& body) {
    scopes_.open();
    declare(variable, std::move(type));
    walk(body);
    scopes_.close();
  }

  math::Type element_type(const ast::Expr& container) const {
    const auto type = scopes_.type_of(container);
    if (type && type->array_rank > 0) return math::element_of(*type);
    const bool real =
        type && (type->kind == Kind::vector || type->kind == Kind::row_vector || type->kind == Kind::matrix);
    return math::Type{real ? Kind::real : Kind::void_};
  }

  // ---- names ----
  void declare(ast::Name& name, const math::Type& type) {
    scopes_.declare(name.text, type);
    const NamePlan::Change change = names_.of_word(name.text);
    if (change.reason == Reason::none) return;
    warn_name(name, change);
    name.text = change.name;
    scopes_.declare(name.text, type);
  }

  void warn_name(const ast::Name& name, const NamePlan::Change& change) {
    const std::string modern(change.name);
    switch (change.reason) {
      case Reason::none: break;
      case Reason::reserved: {
        const bool outside = block_ == ast::BlockKind::data;
        warn("reserved-name", name.span, quoted(name.text) + " is a word of the language now.",
             "Call it " + modern + (outside ? ", in the data file too" : ""));
        break;
      }
      case Reason::old_density:
        warn("old-density", name.span,
             quoted(name.text) + " is how the function of a distribution was named in old Stan.",
             "Call it " + modern);
        break;
      case Reason::now_builtin:
        warn("now-built-in", name.span, quoted(name.text) + " is a built-in function now.",
             "Call it " + modern);
        break;
    }
  }

  void rewrite_distribution(ast::Name& name) {
    if (name.text == "lkj_cov" && !names_.is_user_function("lkj_cov_lpdf")) {
      warn("deprecated-function", name.span, "'lkj_cov' is deprecated.",
           "Give the correlation matrix lkj_corr, and the scales a distribution of their own");
    }
    if (const NamePlan::Change change = names_.of_distribution(name.text); change.reason != Reason::none) {
      name.text = change.name;
    } else if ((name.text.ends_with("_lpdf") || name.text.ends_with("_lpmf")) &&
               names_.is_user_function(name.text)) {
      const std::string_view stem = distribution_stem(name.text);
      warn("old-density", name.span, "A distribution is written without its ending behind '~'.",
           "Write " + std::string(stem));
      name.text = stem;
    }
  }

  // ---- expressions ----
  struct Pending {
    ast::Expr* expr;
    bool in_division;
  };

  void rewrite(ast::Expr*& root) {
    pending_.push_back({root, false});
    while (!pending_.empty()) {
      const Pending next = pending_.back();
      pending_.pop_back();
      rewrite_node(*next.expr, next.in_division);
      const bool in_division = next.in_division || is_division(*next.expr);
      for_each_operand(*next.expr, [&](ast::Expr*& operand) { pending_.push_back({operand, in_division}); });
    }
  }

  void rewrite_node(ast::Expr& expr, bool in_division) {
    if (auto* variable = expr.as<ast::Variable>()) {
      rewrite_variable(expr, *variable);
    } else if (auto* call = expr.as<ast::Call>()) {
      rewrite_call(expr, *call, in_division);
    } else if (auto* binary = expr.as<ast::Binary>()) {
      if (binary->op != Op::and_ && binary->op != Op::or_) return;
      make_condition(binary->left);
      make_condition(binary->right);
    } else if (auto* prefix = expr.as<ast::Prefix>()) {
      if (prefix->op == Op::not_ && scopes_.is(Kind::real, *prefix->operand)) {
        expr.node = compare_with_zero(Op::equal, prefix->operand);
        warn_condition(expr);
      }
    }
  }

  void rewrite_variable(ast::Expr& expr, ast::Variable& variable) {
    std::string_view& name = variable.name.text;
    if (name == "lp__" && !scopes_.has_variable(name)) {
      warn("old-function", expr.span, "'lp__' was removed in Stan 2.0.", "Write target()");
      expr.node = ast::Target{};
      return;
    }
    NamePlan::Change change = names_.of_word(name);
    if (change.reason == Reason::none && !scopes_.has_variable(name)) change = names_.of_function(name);
    if (change.reason != Reason::none) name = change.name;
  }

  // ---- conditions ----
  void rewrite_condition(ast::Expr*& condition) {
    make_condition(condition);
    rewrite(condition);
  }

  void make_condition(ast::Expr*& expr) {
    if (!scopes_.is(Kind::real, *expr)) return;
    expr = tree_.arena->make(ast::Expr{expr->span, compare_with_zero(Op::not_equal, expr)});
    warn_condition(*expr);
  }

  void warn_condition(const ast::Expr& modern) {
    warn("real-condition", modern.span, "A condition must be an int now; this is a real.", modern);
  }

  ast::Binary compare_with_zero(Op op, ast::Expr* value) {
    const Span behind{value->span.file, value->span.end, value->span.end};
    return {op, behind, value, tree_.arena->make(ast::Expr{behind, ast::IntLiteral{"0"}})};
  }

  // ---- calls ----
  void rewrite_call(ast::Expr& expr, ast::Call& call, bool in_division) {
    require_data(call);
    const std::string_view name = call.function.text;
    if (names_.is_user_density(name)) {
      rewrite_user_call(expr, call);
    } else if (const OldFunction* old = find_old_function(name)) {
      const int count = static_cast<int>(call.arguments.size());
      if (old->arguments < 0 || old->arguments == count) rewrite_old(expr, call, *old, in_division);
    } else if (const std::string modern = modern_call(name); !modern.empty() && !call.arguments.empty()) {
      warn("old-density", expr.span, quoted(name) + " was removed in Stan 2.33.", expr);
      call.function.text = tree_.arena->copy(modern);
      call.bar = true;
    } else {
      add_bar(expr, call);
    }
  }

  void rewrite_user_call(ast::Expr& expr, ast::Call& call) {
    const NamePlan::Change change = names_.of_function(call.function.text);
    if (change.reason != Reason::none) call.function.text = change.name;
    if (change.reason == Reason::old_density) {
      call.bar = true;
    } else {
      add_bar(expr, call);
    }
  }

  // The modern name of an old density: one of the language, or one the program defines under that name.
  std::string modern_call(std::string_view name) const {
    if (math::is_builtin(name)) return {};
    const auto old = split_old_density(name);
    if (!old) return {};
    for (const bool discrete : {false, true}) {
      const std::string own = std::string(old->stem).append(modern_ending(old->ending, discrete));
      if (names_.is_user_function(own)) return own;
    }
    return modern_density(name);
  }

  // Distribution functions stood without a bar longest.
  void add_bar(ast::Expr& expr, ast::Call& call) {
    if (call.bar || call.arguments.size() < 2 || !call.function.text.ends_with("_cdf")) return;
    call.bar = true;
    warn("old-density", expr.span, quoted(call.function.text) + " now has a bar behind its first argument.",
         expr);
  }

  void rewrite_old(ast::Expr& expr, ast::Call& call, const OldFunction& old, bool in_division) {
    const std::string message = quoted(old.name) + " " + std::string(old.reason) + ".";
    switch (old.form) {
      case OldForm::keep:
        warn("deprecated-function", call.function.span, message,
             "Use " + std::string(old.modern) + ", whose arguments differ");
        return;
      case OldForm::rename: call.function.text = old.modern; break;
      case OldForm::magnitude:
        call.function.text = old.modern;
        if (in_division && scopes_.is(Kind::int_, *call.arguments[0])) make_real(call.arguments[0]);
        break;
      case OldForm::choose: {
        ast::Ternary ternary{call.arguments[0], call.arguments[1], call.arguments[2]};
        const bool ints = scopes_.is(Kind::int_, *ternary.yes) && scopes_.is(Kind::int_, *ternary.no);
        if (in_division && ints) make_real(ternary.yes);
        expr.node = ternary;
        break;
      }
      case OldForm::density_so_far: expr.node = ast::Target{}; break;
    }
    warn("old-function", expr.span, message, expr);
  }

  // 3 becomes 3.0, n becomes 1.0 * n.
  void make_real(ast::Expr*& expr) {
    if (const auto* literal = expr->as<ast::IntLiteral>()) {
      const std::string real = std::string(literal->text) + ".0";
      expr = tree_.arena->make(ast::Expr{expr->span, ast::RealLiteral{tree_.arena->copy(real)}});
      return;
    }
    const Span before{expr->span.file, expr->span.begin, expr->span.begin};
    ast::Expr* one = tree_.arena->make(ast::Expr{before, ast::RealLiteral{"1.0"}});
    expr = tree_.arena->make(ast::Expr{expr->span, ast::Binary{Op::times, before, one, expr}});
  }

  ast::Tree& tree_;
  NamePlan names_;
  TypeScopes scopes_;
  Diagnostics diagnostics_;
  std::vector<std::pair<std::size_t, const ast::Expr*>> shown_;
  std::vector<Pending> pending_;
  std::unordered_set<std::string_view> warned_;
  std::set<std::pair<std::string_view, std::size_t>> made_data_;  // function, argument
  ast::Function* function_ = nullptr;                             // whose body is walked
  ast::BlockKind block_ = ast::BlockKind::functions;
};

}  // namespace

Diagnostics modernize(ast::Tree& tree) { return Modernizer(tree).run(); }

}  // namespace kullback::lang
