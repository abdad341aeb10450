// How the unconstrained numbers of a program are grouped, in the order in which declare_parameters takes
// them.
#include "lang/transform_of.hpp"
#include "tape/trace/tracer.hpp"

namespace kullback::tape {

using lang::Expr;
using lang::SizedType;
using math::Kind;

namespace {

// "[2,1]" for the item at 2, 1: the last index runs fastest. Empty where nothing is indexed.
std::string index_text(const Dims& dims, std::size_t item) {
  if (dims.empty()) return {};
  std::vector<std::size_t> at(dims.size());
  for (std::size_t d = dims.size(); d-- > 0; item /= dims[d]) at[d] = item % dims[d] + 1;
  std::string text = "[";
  for (std::size_t d = 0; d < at.size(); ++d) text += (d > 0 ? "," : "") + std::to_string(at[d]);
  return text + "]";
}

}  // namespace

void Tracer::add_free_blocks(const SizedType& type, const std::string& name, std::vector<FreeBlock>& blocks) {
  if (type.type->kind == Kind::tuple) {
    const Dims dims = sizes_of(type);
    for (std::size_t item = 0; item < product(dims); ++item) {
      for (std::size_t slot = 0; slot < type.elements.size(); ++slot) {
        add_free_blocks(*type.elements[slot], name + index_text(dims, item) + "." + std::to_string(slot + 1),
                        blocks);
      }
    }
    return;
  }
  FreeBlock block{name, free_count(type), &lang::transform_of(type)};
  if (block.transform->name == "simplex" && block.size > 0) block.simplex_size = sizes_of(type).back() - 1;
  for (const Expr* bound : lang::transform_bounds(type)) {
    if (bound != nullptr && !bound->data_only) block.bounds_are_data = false;
  }
  if (block.bounds_are_data) {
    for (const Expr* bound : lang::transform_bounds(type)) {
      std::vector<double>& numbers = block.bounds.emplace_back();
      if (bound == nullptr) continue;  // an absent offset or multiplier
      for (const Id id : reals(eval(*bound))) numbers.push_back(builder_.value(id));
    }
  }
  blocks.push_back(std::move(block));
}

std::vector<FreeBlock> Tracer::free_blocks() {
  std::vector<FreeBlock> blocks;
  for (const lang::Stmt* stmt : program_.block(lang::BlockKind::parameters)) {
    builder_.set_span(stmt->span);
    const lang::Variable& variable = *stmt->as<lang::Declare>()->variable;
    add_free_blocks(*variable.declared, std::string(variable.name), blocks);
  }
  return blocks;
}

}  // namespace kullback::tape
