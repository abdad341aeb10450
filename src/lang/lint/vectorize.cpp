// Loops that one vectorised statement replaces:
//
//   for (n in 1:N) y[n] ~ normal(a + b * x[n], sigma);     y ~ normal(a + b * x, sigma);
//   for (n in 1:N) mu[n] = alpha[group[n]];                mu = alpha[group];
//
// Every element must be indexed by the loop variable itself, or through an index array by it, so that
// iterations do not meet; what stands in the loop then stands for whole containers, scalar operators become
// elementwise ones, and the checker's own tables say whether the result has a type. What does not translate
// is left alone.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "lang/lint/expr_tools.hpp"
#include "lang/lint/report.hpp"
#include "lang/print_program/expr_text.hpp"
#include "lang/visit.hpp"
#include "math/signatures.hpp"

namespace kullback::lang {
namespace {

using math::Kind;
using math::Type;

constexpr int kMaxNodes = 200;
constexpr std::size_t kMaxStatements = 4;

// A translated expression. `wide`: it was a scalar (or an element) in the loop and is now a container.
struct Piece {
  std::string text;
  int binding = kAtom;
  Type type;
  bool wide = false;
  bool data_only = false;
};

bool is_scalar(const Type& type) { return type.is(Kind::int_) || type.is(Kind::real); }

bool is_linear(const Type& type) { return type.is(Kind::vector) || type.is(Kind::row_vector); }

bool is_small(const Expr& expr) {
  int nodes = 0;
  for_each_expr(expr, [&nodes](const Expr&) { return ++nodes < kMaxNodes; });
  return nodes < kMaxNodes;
}

bool draws(const Expr& expr) {
  bool found = false;
  for_each_expr(expr, [&found](const Expr& e) {
    const auto* call = e.as<Call>();
    if (call && (call->name.ends_with("_rng") || call->name.ends_with("_lp"))) found = true;
  });
  return found;
}

// Distributions of one scalar with an argument that is a vector as a whole.
bool takes_vector(std::string_view family) {
  return family.starts_with("categorical") || family.starts_with("ordered_");
}

class Translator final {
 public:
  Translator(const For& loop, std::vector<const Variable*> assigned)
      : loop_(loop), assigned_(std::move(assigned)) {
    from_one_ = constant_value(*loop.low) == 1.0;
  }

  std::optional<std::string> statement(const Stmt& stmt) {
    if (const auto* tilde = stmt.as<Tilde>()) return tilde_text(*tilde);
    if (const auto* plus = stmt.as<TargetPlus>()) return increment_text(*plus);
    if (const auto* assign = stmt.as<Assign>()) return assign_text(*assign);
    return {};
  }

 private:
  using Maybe = std::optional<Piece>;

  // ---- statements ----
  std::optional<std::string> tilde_text(const Tilde& tilde) {
    if (tilde.user || tilde.truncated || tilde.arguments.empty()) return {};
    const auto pieces = density(tilde.function, tilde.distribution, tilde.variate, tilde.arguments);
    if (!pieces) return {};
    return fmt::format("{} ~ {}({});", (*pieces)[0].text, tilde.distribution, list(*pieces, 1));
  }

  std::optional<std::string> increment_text(const TargetPlus& plus) {
    const auto* call = plus.value->as<Call>();
    if (!call || call->user || call->arguments.size() < 2) return {};
    std::string_view family = without_suffix(call->name, "_lpdf");
    if (family.empty()) family = without_suffix(call->name, "_lpmf");
    if (family.empty()) return {};
    const auto pieces = density(call->name, family, call->arguments[0], call->arguments.subspan(1));
    if (!pieces) return {};
    std::string name(call->name);
    if (call->drop_constants) name.replace(name.size() - 4, 1, "lu");
    return fmt::format("target += {}({} | {});", name, (*pieces)[0].text, list(*pieces, 1));
  }

  std::optional<std::string> assign_text(const Assign& assign) {
    const Maybe target = element(*assign.target);
    if (!target || !target->wide || !is_small(*assign.value)) return {};
    const Expr& value = unpromoted(*assign.value);
    const auto* call = value.as<Call>();
    const Maybe piece =
        call && call->name.ends_with("_rng") ? elementwise_call(value, *call) : translate(value);
    if (!piece || !piece->wide || !(piece->type == target->type)) return {};
    return fmt::format("{} {}= {};", target->text, assign.compound ? to_string(assign.op) : "", piece->text);
  }

  std::optional<std::vector<Piece>> density(std::string_view function, std::string_view family,
                                            const Expr* variate, List<const Expr*> arguments) {
    std::vector<Piece> pieces;
    bool wide = false;
    bool vectors = false;
    const auto add = [&](const Expr& expr) {
      if (!is_small(expr)) return false;
      Maybe piece = translate(expr);
      if (!piece) return false;
      wide = wide || piece->wide;
      vectors = vectors || !is_scalar(*unpromoted(expr).type);
      pieces.push_back(std::move(*piece));
      return true;
    };
    if (!add(*variate)) return {};
    for (const Expr* argument : arguments) {
      if (!add(*argument)) return {};
    }
    // A vector beside a scalar variate is already a sum over its elements, not one observation.
    if (!wide || (vectors && is_scalar(*unpromoted(*variate).type) && !takes_vector(family))) return {};
    if (!resolves(function, pieces)) return {};
    return pieces;
  }

  static std::optional<Type> resolves(std::string_view function, const std::vector<Piece>& pieces) {
    std::vector<math::Argument> types;
    for (const Piece& piece : pieces) types.push_back({piece.type, piece.data_only});
    const math::Resolution found = math::resolve(function, types);
    if (found.outcome != math::Resolution::Outcome::unique) return {};
    return found.signature.result;
  }

  static std::string list(const std::vector<Piece>& pieces, std::size_t first) {
    std::string out;
    for (std::size_t i = first; i < pieces.size(); ++i) {
      if (i > first) out += ", ";
      out += pieces[i].text;
    }
    return out;
  }

  // ---- expressions ----
  Maybe translate(const Expr& expr) {
    const Expr& e = unpromoted(expr);
    if (!mentions(e, *loop_.variable)) return constant(e);
    if (const auto* n = e.as<Binary>()) return operation(e, *n);
    if (const auto* n = e.as<Unary>()) return negation(e, *n);
    if (const auto* n = e.as<Call>())
      return n->name.ends_with("_rng") ? std::nullopt : elementwise_call(e, *n);
    return element(e);
  }

  // What does not change from one iteration to the next.
  Maybe constant(const Expr& e) {
    if (draws(e)) return {};
    for (const Variable* variable : assigned_) {
      if (mentions(e, *variable)) return {};
    }
    return Piece{stan_text(e), text_binding(e), *e.type, false, e.data_only};
  }

  Maybe operation(const Expr& e, const Binary& binary) {
    if (Maybe product = row_times_vector(*binary.left, *binary.right, binary.op)) return product;
    if (!is_scalar(*e.type) || is_logical(binary.op)) return {};
    const Maybe left = translate(*binary.left);
    const Maybe right = translate(*binary.right);
    if (!left || !right || !is_scalar(*unpromoted(*binary.left).type) ||
        !is_scalar(*unpromoted(*binary.right).type)) {
      return {};
    }
    const Op op = elementwise(binary.op, left->wide, right->wide);
    const math::Argument types[] = {{left->type, left->data_only}, {right->type, right->data_only}};
    const math::Resolution found = math::resolve_operator(to_string(op), types);
    if (found.outcome != math::Resolution::Outcome::unique || !is_linear(found.signature.result)) return {};
    return Piece{join_text(left->text, left->binding, op, right->text, right->binding), lang::binding(op),
                 found.signature.result, true, left->data_only && right->data_only};
  }

  static Op elementwise(Op op, bool left_wide, bool right_wide) {
    if (op == Op::times && left_wide && right_wide) return Op::elt_times;
    if (op == Op::divide && right_wide) return Op::elt_divide;
    if (op == Op::pow) return Op::elt_pow;
    return op;
  }

  Maybe negation(const Expr& e, const Unary& unary) {
    if (unary.op != Op::minus || !is_scalar(*e.type)) return {};
    Maybe inner = translate(*unary.operand);
    if (!inner || !is_linear(inner->type)) return {};
    inner->text = (inner->binding < kPrefixBinding ? "-(" + inner->text + ")" : "-" + inner->text);
    inner->binding = kPrefixBinding;
    return inner;
  }

  Maybe elementwise_call(const Expr& e, const Call& call) {
    if (call.user || !is_scalar(*e.type) || call.arguments.empty()) return {};
    if (call.name == "dot_product" && call.arguments.size() == 2) {
      if (Maybe product = row_times_vector(*call.arguments[0], *call.arguments[1], Op::times)) return product;
    }
    std::vector<Piece> pieces;
    bool data_only = true;
    for (const Expr* argument : call.arguments) {
      Maybe piece = translate(*argument);
      if (!piece || !is_scalar(*unpromoted(*argument).type)) return {};
      data_only = data_only && piece->data_only;
      pieces.push_back(std::move(*piece));
    }
    const std::optional<Type> result = resolves(call.name, pieces);
    if (!result || is_scalar(*result)) return {};
    return Piece{fmt::format("{}({})", call.name, list(pieces, 0)), kAtom, *result, true, data_only};
  }

  // x[n] * beta, with x a matrix and beta a vector: x * beta.
  Maybe row_times_vector(const Expr& row, const Expr& vector, Op op) {
    if (op != Op::times || !unpromoted(vector).type->is(Kind::vector)) return {};
    const auto* indexed = unpromoted(row).as<Indexed>();
    if (!indexed || indexed->indices.size() != 1 || !is_loop_index(indexed->indices[0])) return {};
    const Variable* matrix = whole_variable(*indexed->base);
    if (!matrix || !matrix->type->is(Kind::matrix) || is_assigned(*matrix)) return {};
    if (mentions(vector, *loop_.variable)) return {};
    const Maybe factor = constant(unpromoted(vector));
    if (!factor) return {};
    return Piece{join_text(with_range(*matrix, 0), kAtom, Op::times, factor->text, factor->binding),
                 lang::binding(Op::times), factor->type, true, row.data_only && factor->data_only};
  }

  // x[n], x[group[n]], x[n, k], x[k, n]: k the same in every iteration.
  Maybe element(const Expr& e) {
    const auto indices = flat_indices(e);
    const Variable* x = root_variable(e);
    if (!x || indices.empty() || indices.size() > 2) return {};
    if (is_assigned(*x) && !is_loop_index(*indices[0])) return {};
    if (indices.size() == 1) return one_index(e, *x, *indices[0]);
    return two_indices(e, *x, *indices[0], *indices[1]);
  }

  // The indices of x[i, j] or x[i][j]; none where one of them takes more than one element.
  static std::vector<const Index*> flat_indices(const Expr& expr) {
    std::vector<const Index*> out;
    const Expr* e = &expr;
    while (const auto* indexed = e->as<Indexed>()) {
      for (std::size_t i = indexed->indices.size(); i-- > 0;) {
        const Index& index = indexed->indices[i];
        if (index.kind != ast::Index::Kind::single || !index.low->type->is(Kind::int_)) return {};
        out.insert(out.begin(), &index);
      }
      e = indexed->base;
    }
    return e->as<VariableRef>() ? out : std::vector<const Index*>();
  }

  Maybe one_index(const Expr& e, const Variable& x, const Index& index) {
    if (x.type->is(Kind::matrix)) return {};
    const auto wide = wide_index(x, index, 0);
    if (!wide) return {};
    std::string text = wide->empty() ? std::string(x.name) : fmt::format("{}[{}]", x.name, *wide);
    return Piece{std::move(text), kAtom, *x.type, true, e.data_only};
  }

  Maybe two_indices(const Expr& e, const Variable& x, const Index& first, const Index& second) {
    const bool first_moves = mentions(*first.low, *loop_.variable);
    const Index& fixed = first_moves ? second : first;
    const Maybe k = mentions(*fixed.low, *loop_.variable) ? std::nullopt : constant(*fixed.low);
    const auto wide = first_moves ? wide_index(x, first, 0) : wide_index(x, second, 1);
    const std::optional<Type> type = first_moves ? column_type(*x.type) : row_type(*x.type);
    if (!k || !wide || !type) return {};
    std::string text;
    if (first_moves) {
      text = fmt::format("{}[{}, {}]", x.name, wide->empty() ? ":" : *wide, k->text);
    } else {
      text = wide->empty() ? fmt::format("{}[{}]", x.name, k->text)
                           : fmt::format("{}[{}, {}]", x.name, k->text, *wide);
    }
    return Piece{std::move(text), kAtom, *type, true, e.data_only};
  }

  // The type of x[:, k].
  static std::optional<Type> column_type(const Type& type) {
    if (type.array_rank >= 2) return math::element_of(type);
    if (type.array_rank == 1 && (type.kind == Kind::vector || type.kind == Kind::row_vector)) {
      return math::array_of({.kind = Kind::real});
    }
    if (type.is(Kind::matrix)) return Type{.kind = Kind::vector};
    return {};
  }

  // The type of x[k].
  static std::optional<Type> row_type(const Type& type) {
    if (type.array_rank >= 2) return math::element_of(type);
    if (type.array_rank == 1 && (type.kind == Kind::vector || type.kind == Kind::row_vector)) {
      return math::element_of(type);
    }
    if (type.is(Kind::matrix)) return Type{.kind = Kind::row_vector};
    return {};
  }

  // What stands for the index in every iteration at once; empty: nothing, the whole dimension.
  std::optional<std::string> wide_index(const Variable& x, const Index& index, std::size_t dimension) const {
    if (is_loop_index(index)) return covers(x, dimension) ? std::string() : range();
    const auto* inner = index.low->as<Indexed>();
    const Variable* group = inner && inner->indices.size() == 1 ? whole_variable(*inner->base) : nullptr;
    if (!group || !is_loop_index(inner->indices[0]) || is_assigned(*group)) return {};
    if (group->type->kind != Kind::int_ || group->type->array_rank != 1) return {};
    return with_range(*group, 0);
  }

  bool is_loop_index(const Index& index) const {
    return index.kind == ast::Index::Kind::single && whole_variable(*index.low) == loop_.variable;
  }

  bool is_assigned(const Variable& variable) const {
    for (const Variable* known : assigned_) {
      if (known == &variable) return true;
    }
    return false;
  }

  std::string with_range(const Variable& x, std::size_t dimension) const {
    return covers(x, dimension) ? std::string(x.name) : fmt::format("{}[{}]", x.name, range());
  }

  std::string range() const { return stan_text(*loop_.low) + ":" + stan_text(*loop_.high); }

  // The loop runs over all of the dimension.
  bool covers(const Variable& x, std::size_t dimension) const {
    if (!from_one_) return false;
    const auto* call = loop_.high->as<Call>();
    if (call && dimension == 0 && call->arguments.size() == 1 && is_size_function(call->name) &&
        call->name != "cols" && whole_variable(*call->arguments[0]) == &x) {
      return true;
    }
    if (!x.declared || !x.declared->elements.empty()) return false;
    const std::size_t arrays = x.declared->array_sizes.size();
    if (dimension < arrays) return same_expr(*x.declared->array_sizes[dimension], *loop_.high);
    return dimension - arrays < x.declared->sizes.size() &&
           same_expr(*x.declared->sizes[dimension - arrays], *loop_.high);
  }

  const For& loop_;
  std::vector<const Variable*> assigned_;
  bool from_one_ = false;
};

std::vector<const Stmt*> body_of(const For& loop) {
  const auto* block = loop.body->as<Block>();
  if (!block) return {loop.body};
  if (block->statements.size() > kMaxStatements) return {};
  return {block->statements.begin(), block->statements.end()};
}

std::optional<std::string> vectorised(const For& loop) {
  const std::vector<const Stmt*> body = body_of(loop);
  std::vector<const Variable*> assigned;
  for (const Stmt* stmt : body) {
    const auto* assign = stmt->as<Assign>();
    const Variable* root = assign ? root_variable(*assign->target) : nullptr;
    if (root) assigned.push_back(root);
  }
  Translator translator(loop, std::move(assigned));
  std::string out;
  for (const Stmt* stmt : body) {
    const auto text = translator.statement(*stmt);
    if (!text) return {};
    if (!out.empty()) out += ' ';
    out += *text;
  }
  return out.empty() ? std::nullopt : std::optional(std::move(out));
}

}  // namespace

void lint_vectorizable_loop(const Facts& facts, Report& report) {
  for (const Loop& loop : facts.loops) {
    const auto* n = loop.stmt->as<For>();
    if (!n) continue;
    if (auto text = vectorised(*n)) {
      report.add(n->variable->span, "This loop can be written without a loop, which is shorter and faster.",
                 std::move(*text));
    }
  }
}

}  // namespace kullback::lang
