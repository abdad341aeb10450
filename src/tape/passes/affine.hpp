// Which numbers of a trace are affine functions of others: sum of coefficient * slot, plus a constant.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "tape/passes/trace.hpp"

namespace kullback::tape {

struct AffineForm {
  struct Term {
    Id slot;
    double coefficient;
  };
  std::vector<Term> terms;  // by slot, each once
  double constant = 0;
};

// Looks through additions, differences, products with constants and products of constant matrices and
// vectors, down to what is neither. Nothing where there would be more than `most` terms.
class Affine final {
 public:
  Affine(const Trace& trace, const Uses& uses, std::size_t most);
  const std::optional<AffineForm>& of(Id id);

 private:
  std::optional<AffineForm> expand(Id id);
  std::optional<AffineForm> expand_elementwise(const RawInstruction& r, std::uint32_t element);
  std::optional<AffineForm> expand_product(const RawInstruction& r, std::uint32_t element);
  bool add(AffineForm& to, const AffineForm& from, double factor) const;

  const Trace& trace_;
  const Uses& uses_;
  std::size_t most_;
  std::unordered_map<Id, std::optional<AffineForm>> known_;
  int depth_ = 0;
};

}  // namespace kullback::tape
