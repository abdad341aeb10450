// The order of a check: all functions are known before any body or block is looked at; then the blocks as
// they stand, each seeing the globals of those before it.
#include <algorithm>

#include "lang/check/checker.hpp"

namespace kullback::lang {

Checker::Checker(const ast::Tree& tree, const CheckOptions& options)
    : tree_(tree),
      options_(options),
      program_(std::make_unique<Program>()),
      arena_(*(program_->arena = std::make_unique<Arena>())),
      types_(program_->types),
      environment_(arena_),
      resolver_(types_),
      int_(types_.get(Kind::int_)),
      real_(types_.get(Kind::real)),
      complex_(types_.get(Kind::complex)),
      void_(types_.get(Kind::void_)),
      function_(types_.get(Kind::function)) {}

Checked Checker::run() {
  hoist_functions();
  for (const auto& [function, overload] : hoisted_) {
    if (function->body) check_function(*function, *overload);
  }
  check_all_defined();
  for (BlockKind kind :
       {BlockKind::data, BlockKind::transformed_data, BlockKind::parameters,
        BlockKind::transformed_parameters, BlockKind::model, BlockKind::generated_quantities}) {
    check_block(kind);
  }
  check_second_derivatives();
  sort_diagnostics();
  if (failed_) program_.reset();
  return {std::move(program_), std::move(diagnostics_)};
}

// Functions are checked before anything else; the reader goes from top to bottom.
void Checker::sort_diagnostics() {
  for (const Diagnostic& diagnostic : diagnostics_) {
    if (diagnostic.span.file != tree_.file) return;
  }
  std::stable_sort(diagnostics_.begin(), diagnostics_.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return a.span.begin < b.span.begin; });
}

void Checker::check_block(BlockKind kind) {
  const ast::ProgramBlock& block = tree_.block(kind);
  if (!block.present) return;
  context_ = Context{.block = kind, .top_level = kind != BlockKind::model};
  if (kind == BlockKind::model) {
    Scope scope(environment_);
    statements(block.statements, program_->blocks[static_cast<int>(kind)]);
  } else {
    statements(block.statements, program_->blocks[static_cast<int>(kind)]);
  }
  environment_.clear_poison();
}

void Checker::check_identifier(const ast::Name& name) {
  if (!options_.model_name.empty() && name.text == options_.model_name) {
    error("name-is-model", name.span, quoted(name.text) + " is the name of the model.",
          "Choose another name.");
  } else if (name.text.ends_with("__")) {
    error("reserved-name", name.span,
          quoted(name.text) + " ends with two underscores, which Stan keeps for itself.",
          "Remove the underscores.");
  }
}

// A variable may hide a function but not another variable.
void Checker::check_fresh(const ast::Name& name, const Name& entry) {
  if (is_unnormalized(name.text)) {
    error("reserved-name", name.span,
          quoted(name.text) + " ends in _lupdf or _lupmf, which is kept for unnormalised densities.",
          "Choose another name.");
  }
  if (!entry.variable) return;
  Diagnostic& diagnostic = error("duplicate-name", name.span, quoted(name.text) + " is already declared.",
                                 "A variable cannot be hidden by another: choose another name.");
  diagnostic.note = {entry.variable->span, quoted(name.text) + " is declared here."};
}

const Variable* Checker::declare(const ast::Name& name, Variable variable) {
  check_identifier(name);
  Name& entry = environment_.name(name.text);
  check_fresh(name, entry);
  variable.name = entry.text;
  variable.span = name.span;
  variable.block = context_.block;
  variable.id = program_->variable_count++;
  const Variable* declared = arena_.make(variable);
  environment_.declare(entry, declared);
  return declared;
}

}  // namespace kullback::lang
