#include <string>
#include <string_view>
#include <vector>

#include "lang/print.hpp"
#include "lang/print/expressions.hpp"

// One line per node: what it is, its text, and @line:column of where it begins; children are indented.
// A chain of operators of the same strength, or of indexes, is one node with many children, so that the
// dump of a long sum is as long as the sum.

namespace kullback::lang {

namespace {

using namespace ast;

class Dumper final {
 public:
  Dumper(const Tree& tree, const SourceMap& sources) : tree_(tree), sources_(sources) {}

  std::string run() {
    for (int kind = 0; kind < kBlockKinds; ++kind) {
      const ProgramBlock& block = tree_.blocks[kind];
      if (!block.present) continue;
      line("block", to_string(static_cast<BlockKind>(kind)), block.span);
      nest([&] { dump_all(block.statements); });
    }
    return std::move(out_);
  }

 private:
  template <class Body>
  void nest(Body body) {
    ++depth_;
    body();
    --depth_;
  }

  void begin(std::string_view kind, std::string_view text) {
    out_.append(static_cast<std::size_t>(depth_) * 2, ' ');
    out_.append(kind);
    if (!text.empty()) out_.append(" ").append(text);
  }

  void line(std::string_view kind, std::string_view text, Span span) {
    begin(kind, text);
    const Position at = position(span);
    out_.append(" @");
    if (span.file != tree_.file) out_.append(sources_.name(span.file)).append(":");
    out_.append(std::to_string(at.line)).append(":").append(std::to_string(at.column)).append("\n");
  }

  // Counts on from the position before: looking each one up would be quadratic in the length of a line.
  Position position(Span span) {
    const bool onward = span.file == last_.file && span.begin >= last_.begin;
    const std::string_view text = sources_.text(span.file);
    if (!onward) last_at_ = sources_.position(span.file, span.begin);
    for (std::uint32_t i = onward ? last_.begin : span.begin; i < span.begin && i < text.size(); ++i) {
      const bool paired = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
      if (text[i] == '\n' || (text[i] == '\r' && !paired)) {
        last_at_ = {last_at_.line + 1, 1};
      } else if ((static_cast<unsigned char>(text[i]) & 0xC0u) != 0x80u) {
        ++last_at_.column;
      }
    }
    last_ = span;
    return last_at_;
  }

  void label(std::string_view text) {
    begin(text, {});
    out_.append("\n");
  }

  void labelled(std::string_view text, const Expr* expr) {
    if (expr == nullptr) return;
    label(text);
    nest([&] { dump(*expr); });
  }

  void labelled(std::string_view text, const Stmt& stmt) {
    label(text);
    nest([&] { dump(stmt); });
  }

  template <class T>
  void dump_all(std::span<T* const> nodes) {
    for (const T* node : nodes) dump(*node);
  }
  void dump_all(std::span<Stmt*> nodes) { dump_all(std::span<Stmt* const>(nodes)); }
  void dump_all(std::span<Expr*> nodes) { dump_all(std::span<Expr* const>(nodes)); }

  void node(std::string_view kind, std::string_view text, Span span, std::span<Expr* const> children) {
    line(kind, text, span);
    nest([&] { dump_all(children); });
  }

  // ---- expressions ----
  void dump(const Expr& expr) {
    if (expr.as<Binary>()) return dump_chain(expr);
    if (expr.as<Indexed>() || expr.as<TupleGet>() || expr.as<Postfix>()) return dump_postfixes(expr);
    if (const auto* call = expr.as<Call>()) {
      return node(call->bar ? "call|" : "call", call->function.text, expr.span, call->arguments);
    }
    if (const auto* ternary = expr.as<Ternary>()) return dump_ternary(*ternary, expr.span);
    if (const auto* paren = expr.as<Paren>()) {
      Expr* inner[] = {paren->inner};
      return node("paren", {}, expr.span, inner);
    }
    if (const auto* prefix = expr.as<Prefix>()) {
      Expr* operand[] = {prefix->operand};
      return node("prefix", to_string(prefix->op), expr.span, operand);
    }
    if (const auto* array = expr.as<ArrayLiteral>()) return node("array", {}, expr.span, array->elements);
    if (const auto* row = expr.as<RowVectorLiteral>())
      return node("row_vector", {}, expr.span, row->elements);
    if (const auto* tuple = expr.as<TupleLiteral>()) return node("tuple", {}, expr.span, tuple->elements);
    dump_leaf(expr);
  }

  void dump_leaf(const Expr& expr) {
    if (const auto* integer = expr.as<IntLiteral>()) return line("int", integer->text, expr.span);
    if (const auto* real = expr.as<RealLiteral>()) return line("real", real->text, expr.span);
    if (const auto* imaginary = expr.as<ImagLiteral>()) return line("imaginary", imaginary->text, expr.span);
    if (const auto* string = expr.as<StringLiteral>()) return line("string", string->text, expr.span);
    if (const auto* variable = expr.as<Variable>()) return line("variable", variable->name.text, expr.span);
    line("target", {}, expr.span);
  }

  void dump_chain(const Expr& expr) {
    const int strength = binding(expr.as<Binary>()->op);
    std::vector<const Binary*> spine;
    const Expr* first = &expr;
    while (const auto* binary = first->as<Binary>()) {
      if (binding(binary->op) != strength || (is_right_associative(binary->op) && !spine.empty())) break;
      spine.push_back(binary);
      first = binary->left;
    }
    line("binary", {}, expr.span);
    nest([&] {
      dump(*first);
      for (auto binary = spine.rbegin(); binary != spine.rend(); ++binary) {
        label(to_string((*binary)->op));
        dump(*(*binary)->right);
      }
    });
  }

  void dump_postfixes(const Expr& expr) {
    std::vector<const Expr*> spine;
    const Expr* base = &expr;
    while (const Expr* next = base_of(*base)) {
      spine.push_back(base);
      base = next;
    }
    line("postfix", {}, expr.span);
    nest([&] {
      dump(*base);
      for (auto form = spine.rbegin(); form != spine.rend(); ++form) dump_postfix(**form);
    });
  }

  static const Expr* base_of(const Expr& expr) {
    if (const auto* postfix = expr.as<Postfix>()) return postfix->operand;
    if (const auto* indexed = expr.as<Indexed>()) return indexed->base;
    const auto* get = expr.as<TupleGet>();
    return get ? get->base : nullptr;
  }

  void dump_postfix(const Expr& expr) {
    if (const auto* postfix = expr.as<Postfix>()) return label(to_string(postfix->op));
    if (const auto* get = expr.as<TupleGet>()) return label("." + std::to_string(get->slot));
    label("indexes");
    nest([&] {
      for (const Index& index : expr.as<Indexed>()->indices) dump(index);
    });
  }

  void dump(const Index& index) {
    static constexpr std::string_view kKinds[] = {"all", "single", "from", "to", "between"};
    label(kKinds[static_cast<int>(index.kind)]);
    nest([&] {
      if (index.low != nullptr) dump(*index.low);
      if (index.high != nullptr) dump(*index.high);
    });
  }

  void dump_ternary(const Ternary& ternary, Span span) {
    line("choose", {}, span);
    nest([&] {
      labelled("if", ternary.condition);
      labelled("then", ternary.yes);
      labelled("else", ternary.no);
    });
  }

  // ---- types and declarations ----
  void dump(const DeclType& type) {
    line("type", layout::keyword(type.base), type.span);
    nest([&] {
      if (!type.is_sized && type.array_rank > 0) label("array of rank " + std::to_string(type.array_rank));
      dump_sizes("array sizes", type.array_sizes);
      labelled("lower", type.bounds.lower);
      labelled("upper", type.bounds.upper);
      labelled("offset", type.bounds.offset);
      labelled("multiplier", type.bounds.multiplier);
      dump_sizes("sizes", type.sizes);
      for (const DeclType* element : type.elements) dump(*element);
    });
  }

  void dump_sizes(std::string_view text, std::span<Expr* const> sizes) {
    if (sizes.empty()) return;
    label(text);
    nest([&] { dump_all(sizes); });
  }

  void dump(const Declare& declare) {
    dump(*declare.type);
    for (const Declared& variable : declare.variables) {
      line("name", variable.name.text, variable.name.span);
      nest([&] {
        if (variable.value != nullptr) dump(*variable.value);
      });
    }
  }

  void dump(const Function& function, const Stmt& stmt) {
    line(function.body == nullptr ? "declare function" : "function", function.name.text, stmt.span);
    nest([&] {
      dump(*function.result);
      for (const Parameter& parameter : function.parameters) {
        line(parameter.data_only ? "data parameter" : "parameter", parameter.name.text, parameter.name.span);
        nest([&] { dump(*parameter.type); });
      }
      if (function.body != nullptr) dump(*function.body);
    });
  }

  // ---- statements ----
  void dump(const Stmt& stmt) {
    for (const Name& annotation : stmt.annotations) line("annotation", annotation.text, annotation.span);
    if (stmt.as<If>()) return dump_if(stmt);
    if (const auto* function = stmt.as<Function>()) return dump(*function, stmt);
    if (const auto* tilde = stmt.as<Tilde>()) return dump(*tilde, stmt.span);
    if (const auto* assign = stmt.as<Assign>()) return dump(*assign, stmt.span);
    if (dump_loop(stmt) || dump_braced(stmt)) return;
    dump_simple(stmt);
  }

  void dump(const Assign& assign, Span span) {
    line("assign", assign.compound ? to_string(assign.op) : std::string_view{}, span);
    nest([&] {
      dump(*assign.target);
      dump(*assign.value);
    });
  }

  void dump(const Tilde& tilde, Span span) {
    line("distribution", tilde.distribution.text, span);
    nest([&] {
      dump(*tilde.variate);
      dump_sizes("arguments", tilde.arguments);
      if (tilde.truncation.present) label("truncated");
      labelled("below", tilde.truncation.lower);
      labelled("above", tilde.truncation.upper);
    });
  }

  // A chain of else-ifs is one node.
  void dump_if(const Stmt& first) {
    line("if", {}, first.span);
    ++depth_;
    const Stmt* stmt = &first;
    while (const auto* branch = stmt->as<If>()) {
      labelled("condition", branch->condition);
      labelled("then", *branch->yes);
      stmt = branch->no;
      if (stmt == nullptr || !stmt->annotations.empty()) break;
    }
    if (stmt != nullptr) labelled("else", *stmt);
    --depth_;
  }

  bool dump_loop(const Stmt& stmt) {
    if (const auto* loop = stmt.as<While>()) {
      line("while", {}, stmt.span);
      nest([&] {
        dump(*loop->condition);
        dump(*loop->body);
      });
      return true;
    }
    if (const auto* count = stmt.as<For>()) {
      line("for", count->variable.text, stmt.span);
      nest([&] {
        dump(*count->low);
        dump(*count->high);
        dump(*count->body);
      });
      return true;
    }
    if (const auto* each = stmt.as<ForEach>()) {
      line("for each", each->variable.text, stmt.span);
      nest([&] {
        dump(*each->container);
        dump(*each->body);
      });
      return true;
    }
    return false;
  }

  bool dump_braced(const Stmt& stmt) {
    if (const auto* block = stmt.as<Block>()) {
      line("braces", {}, stmt.span);
      nest([&] { dump_all(block->statements); });
      return true;
    }
    if (const auto* profile = stmt.as<Profile>()) {
      line("profile", profile->label->as<StringLiteral>()->text, stmt.span);
      nest([&] { dump_all(profile->statements); });
      return true;
    }
    return false;
  }

  void dump_simple(const Stmt& stmt) {
    if (const auto* declare = stmt.as<Declare>()) {
      line("declare", {}, stmt.span);
      nest([&] { dump(*declare); });
    } else if (const auto* increment = stmt.as<TargetPlus>()) {
      one("target +=", increment->value, stmt.span);
    } else if (const auto* adjustment = stmt.as<JacobianPlus>()) {
      one("jacobian +=", adjustment->value, stmt.span);
    } else if (const auto* call = stmt.as<CallStmt>()) {
      one("statement", call->call, stmt.span);
    } else if (const auto* result = stmt.as<Return>()) {
      one("return", result->value, stmt.span);
    } else if (const auto* print = stmt.as<Print>()) {
      node("print", {}, stmt.span, print->items);
    } else if (const auto* reject = stmt.as<Reject>()) {
      node("reject", {}, stmt.span, reject->items);
    } else if (const auto* fatal = stmt.as<FatalError>()) {
      node("fatal_error", {}, stmt.span, fatal->items);
    } else {
      line(stmt.as<Break>() ? "break" : stmt.as<Continue>() ? "continue" : "empty", {}, stmt.span);
    }
  }

  void one(std::string_view kind, const Expr* value, Span span) {
    line(kind, {}, span);
    nest([&] {
      if (value != nullptr) dump(*value);
    });
  }

  const Tree& tree_;
  const SourceMap& sources_;
  std::string out_;
  int depth_ = 0;
  Span last_ = {static_cast<FileId>(-1), 0, 0};
  Position last_at_;
};

}  // namespace

std::string dump(const Tree& tree, const SourceMap& sources) { return Dumper(tree, sources).run(); }

}  // namespace kullback::lang
