#include "model/layout.hpp"

#include <cmath>

#include "tape/trace/tracer.hpp"

namespace kullback::model {

using density::Support;

namespace {

// Bounds begin again at each item of an array; infinite ones bound nothing.
Support support_of(const tape::FreeBlock& block, std::size_t i) {
  Support support;
  const std::string_view transform = block.transform->name;
  if (transform == "identity" || transform == "offset_multiplier") return support;
  if (block.simplex_size > 0) {
    support.kind = Support::Kind::simplex;
    support.size = block.simplex_size;
    return support;
  }
  const bool elementwise = transform == "lower" || transform == "upper" || transform == "lower_upper";
  if (!elementwise || !block.bounds_are_data) {
    support.kind = Support::Kind::other;
    return support;
  }
  const auto bound = [&](std::size_t b) { return block.bounds[b][i % block.bounds[b].size()]; };
  if (transform != "upper") support.lower = bound(0);
  if (transform != "lower") support.upper = bound(block.bounds.size() - 1);
  const int finite = (std::isfinite(support.lower) ? 1 : 0) + (std::isfinite(support.upper) ? 1 : 0);
  support.kind = finite == 2   ? Support::Kind::bounded
                 : finite == 1 ? Support::Kind::positive
                               : Support::Kind::real;
  return support;
}

}  // namespace

void append(const tape::FreeBlock& block, Layout& layout) {
  layout.blocks.push_back({block.name, layout.supports.size(), block.size});
  for (std::size_t i = 0; i < block.size; ++i) layout.supports.push_back(support_of(block, i));
}

Layout make_layout(const std::vector<tape::FreeBlock>& blocks) {
  Layout layout;
  for (const tape::FreeBlock& block : blocks) append(block, layout);
  return layout;
}

}  // namespace kullback::model
