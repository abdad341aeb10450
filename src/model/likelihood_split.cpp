// The program is traced once; each term of the target carries the place it was added at, and places are known
// to be prior or likelihood from the text alone. Sums in `target += a + b` are split, so that a and b may
// differ.
#include "model/likelihood_split.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "lang/visit.hpp"
#include "math/elementwise.hpp"

namespace kullback::model {

using lang::BlockKind;
using lang::Expr;
using lang::Stmt;
using lang::Variable;

namespace {

bool is_density(std::string_view name) {
  return name.ends_with("_lpdf") || name.ends_with("_lpmf") || name.ends_with("_lcdf") ||
         name.ends_with("_lccdf");
}

// Data, or numbers written in the program: what is observed.
bool is_observed(const Expr& variate) { return variate.data_only; }

bool is_density_of_data(const Expr& expr) {
  const auto* call = expr.as<lang::Call>();
  if (call == nullptr || call->arguments.empty()) return false;
  if (is_density(call->name)) return is_observed(*call->arguments[0]) && !expr.data_only;
  // reduce_sum(partial_sum_lpmf, y, ...): the slices of y are its variates.
  const auto* function = call->arguments[0]->as<lang::FunctionRef>();
  return function != nullptr && is_density(function->name) && call->arguments.size() > 1 &&
         is_observed(*call->arguments[1]);
}

using Variables = std::vector<const Variable*>;

bool has_likelihood(const Expr& root, const Variables& with_likelihood) {
  bool found = false;
  lang::for_each_expr(root, [&](const Expr& expr) {
    const auto* ref = expr.as<lang::VariableRef>();
    const bool carries = ref != nullptr && std::find(with_likelihood.begin(), with_likelihood.end(),
                                                     ref->variable) != with_likelihood.end();
    found = found || carries || is_density_of_data(expr);
  });
  return found;
}

const Variable* written_by(const Stmt& stmt, const Expr*& value) {
  if (const auto* declare = stmt.as<lang::Declare>()) {
    value = declare->value;
    return declare->variable;
  }
  const auto* assign = stmt.as<lang::Assign>();
  if (assign == nullptr) return nullptr;
  value = assign->value;
  const Expr* root = assign->target;
  for (;;) {
    if (const auto* indexed = root->as<lang::Indexed>()) {
      root = indexed->base;
    } else if (const auto* get = root->as<lang::TupleGet>()) {
      root = get->base;
    } else {
      break;
    }
  }
  const auto* ref = root->as<lang::VariableRef>();
  return ref == nullptr ? nullptr : ref->variable;
}

// Variables that densities of data went into, directly or through others.
Variables find_carriers(const lang::Program& program) {
  Variables carriers;
  for (std::size_t before = 1; before != carriers.size();) {
    before = carriers.size();
    for (const BlockKind block : {BlockKind::transformed_parameters, BlockKind::model}) {
      for (const Stmt* top : program.block(block)) {
        lang::for_each_stmt(*top, [&](const Stmt& stmt) {
          const Expr* value = nullptr;
          const Variable* variable = written_by(stmt, value);
          if (variable == nullptr || value == nullptr || !has_likelihood(*value, carriers)) return;
          if (std::find(carriers.begin(), carriers.end(), variable) == carriers.end())
            carriers.push_back(variable);
        });
      }
    }
  }
  return carriers;
}

// a, b and c of a + b - c, with their signs.
struct Term {
  const Expr* expr;
  bool negative;
};
void append_terms(const Expr& expression, bool negative, std::vector<Term>& terms) {
  const Expr& expr = lang::unpromoted(expression);
  const auto* binary = expr.as<lang::Binary>();
  const bool sum = binary != nullptr && binary->left->type->is(math::Kind::real) &&
                   binary->right->type->is(math::Kind::real) &&
                   (binary->op == lang::Op::plus || binary->op == lang::Op::minus);
  if (!sum) {
    terms.push_back({&expr, negative});
    return;
  }
  append_terms(*binary->left, negative, terms);
  append_terms(*binary->right, negative != (binary->op == lang::Op::minus), terms);
}

}  // namespace

LikelihoodSplit::LikelihoodSplit(std::shared_ptr<const Prepared> prepared)
    : prepared_(std::move(prepared)), with_likelihood_(find_carriers(prepared_->program)) {
  for (const Stmt* top : prepared_->program.block(BlockKind::model)) {
    lang::for_each_stmt(*top, [&](const Stmt& stmt) {
      if (const auto* tilde = stmt.as<lang::Tilde>())
        parts_.push_back({stmt.span, is_observed(*tilde->variate)});
      const auto* plus = stmt.as<lang::TargetPlus>();
      if (plus == nullptr) return;
      std::vector<Term> terms;
      append_terms(*plus->value, false, terms);
      for (const Term& term : terms)
        parts_.push_back({term.expr->span, has_likelihood(*term.expr, with_likelihood_)});
    });
  }
}

// `target += a + b` as two terms, each at its own place.
bool LikelihoodSplit::take(const Stmt& stmt) {
  const auto* plus = stmt.as<lang::TargetPlus>();
  if (plus == nullptr) return false;
  std::vector<Term> terms;
  append_terms(*plus->value, false, terms);
  for (const Term& term : terms) {
    tape::Value value = tracer_->eval(*term.expr);
    builder_.set_span(term.expr->span);
    const tape::Ids ids = tracer_->reals(value);
    const tape::Ids signs{builder_.constant(term.negative ? -1.0 : 1.0)};
    const std::array<tape::Ids, 2> operands{ids, signs};
    for (const tape::Id id : builder_.elementwise(*math::find_elementwise("multiply"), operands, ids.size()))
      builder_.add_target(id);
  }
  return true;
}

bool LikelihoodSplit::record(const double* theta) {
  recorded_ = false;
  builder_ = prepared_->builder;
  tape::Ids free(prepared_->dim);
  for (std::size_t i = 0; i < free.size(); ++i) free[i] = builder_.add_parameter(theta[i]);
  tape::Tracer tracer(prepared_->program, prepared_->sources, builder_,
                      {.normalized = true, .jacobian = false});
  tracer.set_values(prepared_->values);
  tracer.set_hook(this);
  tracer_ = &tracer;
  try {
    tracer.declare_parameters(free);
    tracer.run(BlockKind::transformed_parameters);
    tracer.run(BlockKind::model);
  } catch (const tape::Rejection& rejection) {
    message_ = rejection_text(prepared_->sources, rejection);
    return false;
  }
  is_likelihood_.clear();
  for (const Span at : builder_.target_spans()) {
    const auto part = std::find_if(parts_.begin(), parts_.end(), [&](const Part& p) { return p.span == at; });
    is_likelihood_.push_back(part != parts_.end() && part->is_likelihood);
  }
  recorded_ = true;
  return true;
}

bool LikelihoodSplit::evaluate(const double* theta, double& log_prior, double& log_likelihood) {
  message_.clear();
  log_prior = log_likelihood = std::numeric_limits<double>::quiet_NaN();
  if (!(recorded_ && builder_.replay(theta)) && !record(theta)) return false;
  log_prior = log_likelihood = 0;
  for (std::size_t t = 0; t < builder_.target().size(); ++t)
    (is_likelihood_[t] ? log_likelihood : log_prior) += builder_.value(builder_.target()[t]);
  return true;
}

}  // namespace kullback::model
