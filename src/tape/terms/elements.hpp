// What a vectorised statement adds to the target, element by element.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tape/passes/trace.hpp"

namespace kullback::tape {

// Appends to the trace the instructions of single elements: observations of a density, rows of a GLM, items
// of an array of vectors, squares of a dot product, elements of a constraint's Jacobian.
class ElementSplitter final {
 public:
  explicit ElementSplitter(Trace& trace) : trace_(trace) {}

  // The number `whole`, which instruction `r` makes, as a sum; false where it is one element already, or
  // cannot be taken apart.
  bool split(const RawInstruction& r, const TargetTerm& whole, std::vector<TargetTerm>& parts);

 private:
  bool split_density(const RawInstruction& r, double weight, std::vector<TargetTerm>& parts);
  bool split_dot(const RawInstruction& r, double weight, std::vector<TargetTerm>& parts);
  bool split_glm(const RawInstruction& r, double weight, std::vector<TargetTerm>& parts);
  bool split_items(const RawInstruction& r, double weight, std::vector<TargetTerm>& parts);
  bool split_jacobian(const RawInstruction& r, const TargetTerm& whole, std::vector<TargetTerm>& parts);

  Ids ids_of(const RawInstruction& r, std::uint32_t j) const;
  void set_operands(RawInstruction& r, std::span<const Ids> operands);
  Ids elementwise(const RawInstruction& like, std::string_view name, std::span<const Ids> operands,
                  std::size_t count);

  Trace& trace_;
};

}  // namespace kullback::tape
