// How far a program's outputs can go as its parameters do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fit/gather.hpp"
#include "model/output_writer.hpp"
#include "posterior/posterior.hpp"

namespace kullback::fit {

// Draws as outputs and, of the same chains, on the unconstrained scale.
struct DrawnOutputs {
  const posterior::Posterior& posterior;
  const std::vector<FinishedChain>& chains;
};

// Of each of `columns`: whether its values stay bounded wherever the unconstrained parameters go. It is
// looked for along some lines, so that true is an observation, not a proof; false where little could be
// looked at.
std::vector<bool> are_bounded(model::OutputWriter& outputs, const DrawnOutputs& drawn,
                              std::span<const std::size_t> columns, std::uint64_t seed);

}  // namespace kullback::fit
