// The dump writes one statement a line. A variable is name#id; an expression that is more than a name or a
// number carries its type, `data` in front where no parameter can influence it; a call shows the types of the
// overload chosen: exp<vector>(x#3):vector. A user function is name$k, the k-th of the functions listed
// first.
#include "lang/print_program.hpp"

#include <fmt/format.h>

#include <unordered_map>
#include <vector>

#include "lang/print_program/expr_text.hpp"
#include "lang/visit.hpp"

namespace kullback::lang {
namespace {

class Dumper final {
 public:
  explicit Dumper(const Program& program) : program_(program) {
    for (const Function* function : program.functions) function_ids_.emplace(function, function_ids_.size());
  }

  std::string run() && {
    for (const Function* function : program_.functions) dump_function(*function);
    for (int kind = 1; kind < ast::kBlockKinds; ++kind) {
      const auto& statements = program_.blocks[kind];
      if (statements.empty()) continue;
      line(ast::to_string(static_cast<BlockKind>(kind)));
      ++depth_;
      for (const Stmt* stmt : statements) dump_stmt(*stmt);
      --depth_;
    }
    return std::move(out_);
  }

 private:
  void line(std::string_view text) {
    out_.append(static_cast<std::size_t>(2 * depth_), ' ');
    out_ += text;
    out_ += '\n';
  }

  void dump_function(const Function& function) {
    std::string head =
        fmt::format("function {} {}(", math::to_string(*function.result), function_name(&function));
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
      const Variable& parameter = *function.parameters[i];
      if (i > 0) head += ", ";
      head += fmt::format("{}{} {}", parameter.data_only ? "data " : "", math::to_string(*parameter.type),
                          name(parameter));
    }
    line(head + (function.body ? ")" : ") undefined"));
    if (function.body) dump_body(*function.body);
  }

  std::string function_name(const Function* function) const {
    const auto found = function_ids_.find(function);
    if (found == function_ids_.end()) return fmt::format("{}$?", function->name);
    return fmt::format("{}${}", function->name, found->second);
  }

  static std::string name(const Variable& variable) {
    return fmt::format("{}#{}", variable.name, variable.id);
  }

  // ---- statements ----
  void dump_body(const Stmt& stmt) {
    ++depth_;
    if (const auto* block = stmt.as<Block>()) {
      for (const Stmt* below : block->statements) dump_stmt(*below);
    } else {
      dump_stmt(stmt);
    }
    --depth_;
  }

  void dump_stmt(const Stmt& stmt) {
    std::visit([this](const auto& node) { dump(node); }, stmt.node);
  }

  void dump(const Assign& node) {
    const std::string op = node.compound ? std::string(to_string(node.op)) : std::string();
    line(fmt::format("{} {}= {}", text(*node.target), op, text(*node.value)));
  }
  void dump(const CallStmt& node) { line("call " + text(*node.call)); }
  void dump(const Tilde& node) {
    std::string types = math::to_string(*node.variate->type);
    std::string arguments;
    for (const Expr* argument : node.arguments) {
      types += ", " + math::to_string(*argument->type);
      if (!arguments.empty()) arguments += ", ";
      arguments += text(*argument);
    }
    const std::string function = node.user ? function_name(node.user) : std::string(node.function);
    std::string truncation;
    if (node.truncated) {
      truncation =
          fmt::format(" T[{}, {}]", node.lower ? text(*node.lower) : "", node.upper ? text(*node.upper) : "");
    }
    line(fmt::format("{} ~ {}<{}>({}){}", text(*node.variate), function, types, arguments, truncation));
  }
  void dump(const TargetPlus& node) { line("target += " + text(*node.value)); }
  void dump(const JacobianPlus& node) { line("jacobian += " + text(*node.value)); }
  void dump(const Break&) { line("break"); }
  void dump(const Continue&) { line("continue"); }
  void dump(const Print& node) { line("print " + list(node.items)); }
  void dump(const Reject& node) { line("reject " + list(node.items)); }
  void dump(const FatalError& node) { line("fatal_error " + list(node.items)); }
  void dump(const Return& node) { line(node.value ? "return " + text(*node.value) : std::string("return")); }
  void dump(const If& node) {
    line("if " + text(*node.condition));
    dump_body(*node.yes);
    if (!node.no) return;
    line("else");
    dump_body(*node.no);
  }
  void dump(const While& node) {
    line("while " + text(*node.condition));
    dump_body(*node.body);
  }
  void dump(const For& node) {
    line(fmt::format("for {} in {} : {}", name(*node.variable), text(*node.low), text(*node.high)));
    dump_body(*node.body);
  }
  void dump(const ForEach& node) {
    line(fmt::format("for {}:{} in {}", name(*node.variable), math::to_string(*node.variable->type),
                     text(*node.container)));
    dump_body(*node.body);
  }
  void dump(const Block& node) {
    line("block");
    ++depth_;
    for (const Stmt* below : node.statements) dump_stmt(*below);
    --depth_;
  }
  void dump(const Profile& node) {
    line(fmt::format("profile \"{}\"", node.label));
    ++depth_;
    for (const Stmt* below : node.statements) dump_stmt(*below);
    --depth_;
  }
  void dump(const Declare& node) {
    const Variable& variable = *node.variable;
    std::string type = variable.declared ? sized(*variable.declared) : math::to_string(*variable.type);
    std::string text_line = fmt::format("{} : {}{}", name(variable), variable.data_only ? "data " : "", type);
    if (node.value) text_line += " = " + text(*node.value);
    line(text_line);
  }

  // ---- types ----
  std::string sized(const SizedType& type) {
    std::string out;
    if (!type.array_sizes.empty()) out = "array[" + list(type.array_sizes) + "] ";
    if (!type.elements.empty()) {
      out += "tuple(";
      for (std::size_t i = 0; i < type.elements.size(); ++i) {
        out += (i > 0 ? ", " : "") + sized(*type.elements[i]);
      }
      out += ')';
    } else {
      math::Type base = *type.type;
      base.array_rank = 0;
      out += math::to_string(base);
      if (!type.sizes.empty()) out += "[" + list(type.sizes) + "]";
    }
    return out + constraint(type);
  }

  std::string constraint(const SizedType& type) {
    std::string out(constraint_keyword(type));
    const auto add = [&](std::string_view label, const Expr* bound) {
      if (bound) out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", label, text(*bound));
    };
    add("lower", type.lower);
    add("upper", type.upper);
    add("offset", type.offset);
    add("multiplier", type.multiplier);
    return out.empty() ? out : " <" + out + ">";
  }

  // ---- expressions ----
  std::string list(List<const Expr*> items) {
    std::string out;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i > 0) out += ", ";
      out += text(*items[i]);
    }
    return out;
  }

  static std::string type_mark(const Expr& expr) {
    return fmt::format(":{}{}", expr.data_only ? "data " : "", math::to_string(*expr.type));
  }

  // A chain of binary operators is as long as the user likes: its left spine is walked in a loop.
  std::string text(const Expr& expr) {
    std::vector<const Expr*> spine;
    const Expr* first = &expr;
    while (const auto* binary = first->as<Binary>()) {
      spine.push_back(first);
      first = binary->left;
    }
    std::string out(spine.size(), '(');
    out += node_text(*first);
    for (std::size_t i = spine.size(); i-- > 0;) {
      const Binary& binary = *spine[i]->as<Binary>();
      out += fmt::format(" {} {}){}", to_string(binary.op), text(*binary.right), type_mark(*spine[i]));
    }
    return out;
  }

  std::string node_text(const Expr& expr) {
    if (const auto* n = expr.as<RealConstant>()) return real_text(n->value);
    if (const auto* n = expr.as<ImagConstant>()) return real_text(n->value) + "i";
    if (const auto* n = expr.as<VariableRef>()) return name(*n->variable);
    if (const auto* n = expr.as<FunctionRef>())
      return n->user ? function_name(n->user) : std::string(n->name);
    if (const auto* n = expr.as<Promote>()) {
      return fmt::format("{}({})", math::to_string(*expr.type), text(*n->from));
    }
    if (expr.as<IntConstant>() || expr.as<StringConstant>()) return stan_text(expr);
    return compound_text(expr) + type_mark(expr);
  }

  // A real constant never looks like an int.
  static std::string real_text(double value) {
    std::string out = number_text(value);
    if (out.find_first_not_of("-0123456789") == std::string::npos) out += ".0";
    return out;
  }

  std::string compound_text(const Expr& expr) {
    if (const auto* n = expr.as<Unary>()) return unary_text(*n);
    if (const auto* n = expr.as<Ternary>()) {
      return fmt::format("({} ? {} : {})", text(*n->condition), text(*n->yes), text(*n->no));
    }
    if (const auto* n = expr.as<Call>()) return call_text(*n);
    if (const auto* n = expr.as<ArrayLiteral>()) return "{" + list(n->elements) + "}";
    if (const auto* n = expr.as<RowVectorLiteral>()) return "[" + list(n->elements) + "]";
    if (const auto* n = expr.as<TupleLiteral>()) return "(" + list(n->elements) + ")";
    if (const auto* n = expr.as<Indexed>()) return indexed_text(*n);
    if (const auto* n = expr.as<TupleGet>()) return fmt::format("{}.{}", text(*n->base), n->slot);
    return "target()";
  }

  std::string unary_text(const Unary& unary) {
    if (unary.op == Op::transpose) return fmt::format("({})'", text(*unary.operand));
    return fmt::format("({}{})", to_string(unary.op), text(*unary.operand));
  }

  std::string call_text(const Call& call) {
    std::string types;
    for (const Expr* argument : call.arguments) {
      if (!types.empty()) types += ", ";
      types += math::to_string(*argument->type);
    }
    return fmt::format("{}<{}>({}){}", call.user ? function_name(call.user) : std::string(call.name), types,
                       list(call.arguments), call.drop_constants ? " unnormalized" : "");
  }

  std::string indexed_text(const Indexed& indexed) {
    std::string out = text(*indexed.base) + "[";
    for (std::size_t i = 0; i < indexed.indices.size(); ++i) {
      const Index& index = indexed.indices[i];
      if (i > 0) out += ", ";
      if (index.low) out += text(*index.low);
      if (index.kind != ast::Index::Kind::single) out += ':';
      if (index.high) out += text(*index.high);
    }
    return out + "]";
  }

  const Program& program_;
  std::unordered_map<const Function*, std::size_t> function_ids_;
  std::string out_;
  int depth_ = 0;
};

}  // namespace

std::string dump(const Program& program) { return Dumper(program).run(); }

}  // namespace kullback::lang
