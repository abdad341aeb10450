#include "model/generative.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/place.hpp"
#include "lang/visit.hpp"

namespace kullback::model {

using lang::BlockKind;
using lang::Expr;
using lang::Stmt;
using lang::Variable;

namespace {

// Functions of a variate that only choose or move its elements.
constexpr std::array<std::string_view, 15> kMoves = {
    "to_vector", "to_row_vector", "to_array_1d", "to_array_2d", "to_matrix", "transpose", "head",   "tail",
    "segment",   "block",         "row",         "col",         "sub_row",   "sub_col",   "reverse"};

constexpr std::string_view kExamples =
    "Variates are parameters or data, their elements and slices: y[n], z[2:K].";

bool mentions(const Expr& expr, const Variable& variable) {
  bool found = false;
  lang::for_each_expr(expr, [&](const Expr& part) {
    const auto* ref = part.as<lang::VariableRef>();
    found = found || (ref != nullptr && ref->variable == &variable);
  });
  return found;
}

// The variable whose elements the expression consists of; null where it is more than a choice of elements.
const Variable* root_of(const Expr& expression) {
  const Expr& expr = lang::unpromoted(expression);
  if (const auto* ref = expr.as<lang::VariableRef>()) return ref->variable;
  if (const auto* unary = expr.as<lang::Unary>())
    return unary->op == lang::Op::transpose ? root_of(*unary->operand) : nullptr;
  if (const auto* call = expr.as<lang::Call>()) {
    const bool moves =
        call->user == nullptr && std::find(kMoves.begin(), kMoves.end(), call->name) != kMoves.end();
    return moves ? root_of(*call->arguments[0]) : nullptr;
  }
  const auto* indexed = expr.as<lang::Indexed>();
  if (indexed == nullptr) return nullptr;
  const Variable* root = root_of(*indexed->base);
  for (const lang::Index& index : indexed->indices) {
    for (const Expr* part : {index.low, index.high}) {
      if (root != nullptr && part != nullptr && mentions(*part, *root)) return nullptr;
    }
  }
  return root;
}

std::string_view kind_of(const Variable& variable) {
  switch (variable.block) {
    case BlockKind::transformed_parameters: return "a transformed parameter";
    case BlockKind::transformed_data: return "transformed data";
    default: return "a local variable";
  }
}

bool is_random(const Variable& variable) {
  return variable.role == Variable::Role::global &&
         (variable.block == BlockKind::parameters || variable.block == BlockKind::data);
}

class Reader final {
 public:
  Reader(const Stmt& stmt, const SourceMap& sources) : stmt_(stmt), sources_(sources) {}

  std::vector<Sampling> read() && {
    if (const auto* tilde = stmt_.as<lang::Tilde>()) {
      add({&stmt_,
           tilde->variate,
           nullptr,
           tilde->distribution,
           tilde->user,
           {tilde->arguments.begin(), tilde->arguments.end()},
           tilde->lower,
           tilde->upper});
    } else if (const auto* plus = stmt_.as<lang::TargetPlus>()) {
      add_terms(*plus->value);
    }
    return std::move(samplings_);
  }

 private:
  void add(Sampling sampling) {
    sampling.variate = &lang::unpromoted(*sampling.variate);
    sampling.variable = root_of(*sampling.variate);
    const std::string text(sources_.text(sampling.variate->span));
    if (sampling.variable == nullptr) {
      refuse_simulation(sources_, stmt_.span,
                        fmt::format("the variate '{}' is an expression, not a parameter or data.", text),
                        std::string(kExamples));
    }
    if (!is_random(*sampling.variable)) {
      refuse_simulation(sources_, stmt_.span,
                        fmt::format("the variate '{}' is {}.", text, kind_of(*sampling.variable)),
                        std::string(kExamples));
    }
    for (const Expr* argument : sampling.arguments) {
      // y[n] ~ normal(y[n - 1], s) is fine: one element is complete before the next is drawn.
      const bool whole = sampling.variate->as<lang::VariableRef>() != nullptr;
      if (whole && mentions(*argument, *sampling.variable)) {
        refuse_simulation(sources_, stmt_.span,
                          fmt::format("the distribution of '{}' depends on '{}' itself.", text, text),
                          "Write a loop over its elements, each given the earlier ones.");
      }
    }
    samplings_.push_back(std::move(sampling));
  }

  // Sums of densities and constants.
  void add_terms(const Expr& expression) {
    const Expr& expr = lang::unpromoted(expression);
    if (const auto* binary = expr.as<lang::Binary>()) {
      const bool minus = binary->op == lang::Op::minus && binary->right->data_only;
      if (minus || binary->op == lang::Op::plus) {
        add_terms(*binary->left);
        if (!minus) add_terms(*binary->right);
        return;
      }
    }
    const auto* call = expr.as<lang::Call>();
    const bool density = call != nullptr && (call->name.ends_with("_lpdf") || call->name.ends_with("_lpmf"));
    const Variable* root = density ? root_of(*call->arguments[0]) : nullptr;
    if (expr.data_only && (root == nullptr || !is_random(*root))) return;
    if (!density) {
      refuse_simulation(sources_, stmt_.span,
                        fmt::format("'{}' is added to the target, and is not the density of a variable.",
                                    sources_.text(expr.span)),
                        "Write y ~ distribution(...) or target += distribution_lpdf(y | ...).");
    }
    add({&stmt_,
         call->arguments[0],
         nullptr,
         call->name.substr(0, call->name.size() - 5),
         call->user,
         {call->arguments.begin() + 1, call->arguments.end()},
         nullptr,
         nullptr});
  }

  const Stmt& stmt_;
  const SourceMap& sources_;
  std::vector<Sampling> samplings_;
};

}  // namespace

void refuse_simulation(const SourceMap& sources, Span span, const std::string& why, const std::string& hint) {
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: this program cannot be simulated: {}", place_text(sources, span), why), hint);
}

std::vector<Sampling> samplings_of(const Stmt& stmt, const SourceMap& sources) {
  return Reader(stmt, sources).read();
}

std::vector<const Expr*> indices_of(const Expr& variate) {
  const Expr& expr = lang::unpromoted(variate);
  if (const auto* unary = expr.as<lang::Unary>()) return indices_of(*unary->operand);
  if (const auto* call = expr.as<lang::Call>()) {
    std::vector<const Expr*> indices = indices_of(*call->arguments[0]);
    indices.insert(indices.end(), call->arguments.begin() + 1, call->arguments.end());
    return indices;
  }
  const auto* indexed = expr.as<lang::Indexed>();
  if (indexed == nullptr) return {};
  std::vector<const Expr*> indices = indices_of(*indexed->base);
  for (const lang::Index& index : indexed->indices) {
    if (index.low != nullptr) indices.push_back(index.low);
    if (index.high != nullptr) indices.push_back(index.high);
  }
  return indices;
}

bool uses_sizes_only(const lang::Call& call) {
  return call.user == nullptr && (call.name == "size" || call.name == "num_elements" || call.name == "rows" ||
                                  call.name == "cols" || call.name == "dims");
}

void refuse_other_densities(const lang::Program& program, const SourceMap& sources,
                            const std::unordered_set<const Variable*>& simulated) {
  for (const BlockKind block : {BlockKind::transformed_parameters, BlockKind::model}) {
    for (const Stmt* top : program.block(block)) {
      lang::for_each_stmt(*top, [&](const Stmt& stmt) {
        if (stmt.as<lang::JacobianPlus>() != nullptr)
          refuse_simulation(sources, stmt.span, "a Jacobian states the density of a transformed variable.");
        lang::for_each_own_expr(stmt, [&](const Expr& root) {
          lang::for_each_expr(root, [&](const Expr& expr) {
            const auto* call = expr.as<lang::Call>();
            if (call != nullptr && (call->name.ends_with("_lp") || call->name.ends_with("_jacobian")))
              refuse_simulation(sources, stmt.span, fmt::format("'{}' changes the target.", call->name));
          });
        });
      });
    }
  }
  for (const Stmt* top : program.block(BlockKind::transformed_data)) {
    lang::for_each_expr(*top, [&](const Expr& expr) {
      const auto* call = expr.as<lang::Call>();
      if (call != nullptr && uses_sizes_only(*call)) return false;
      const auto* ref = expr.as<lang::VariableRef>();
      if (ref != nullptr && simulated.contains(ref->variable)) {
        refuse_simulation(
            sources, top->span,
            fmt::format("transformed data are made of '{}', which is to be simulated.", ref->variable->name));
      }
      return true;
    });
  }
}

}  // namespace kullback::model
