// What minibatches ask of variational inference: which parts go with them, how rows are chosen, and what is
// done with parameters that belong to rows.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "density/log_density.hpp"
#include "infer/options.hpp"
#include "infer/rows/row_sampler.hpp"
#include "infer/rows/subsampled_density.hpp"
#include "infer/vi/estimator.hpp"
#include "infer/vi/family.hpp"
#include "infer/vi/parts.hpp"

namespace kullback::infer {

struct RowPlan {
  std::size_t batch_size = 0;  // 0: no minibatches, or an optimiser that chooses its own
  std::size_t rows = 0;
  RowSampling sampling = RowSampling::uniform;
  bool has_own = false;   // some coordinates belong to rows
  bool anchored = false;  // with a control variate

  bool is_on() const { return batch_size > 0; }
};

// Throws Error usage where the density has no rows, or fewer than were asked for, and for options that make
// no sense together.
RowPlan plan_rows(density::LogDensity& density, const Preset& preset, const Options& options);

// The parts to fall back on, changed to go with minibatches.
Preset parts_for_rows(const RowPlan& plan, Preset fallback);

// Throws Error usage where minibatches of these parts would be biased, or would not know which parameters
// belong to a row.
void check_parts_for_rows(const RowPlan& plan, const Parts& parts, const Family& family, density::Rows& rows);

// `guess` scales what rows matter, for importance sampling; it costs as much as some evaluations of all rows.
RowSampler make_row_sampler(const RowPlan& plan, density::LogDensity& density, NoiseName name,
                            const std::optional<Anchor>& anchor, const GaussianGuess& guess);

// An estimator of a family that factorises, over a density by minibatches, where some factors belong to rows.
// With s the scale of a drawn row (N / B), the part of the ELBO that a row's own factor enters is seen s
// times with probability 1 / s: terms of the row and the entropy of its factor. So the gradient to its
// parameters is s times that of the row's terms and of its entropy where the row was drawn, and else 0, the
// parameters frozen.
std::unique_ptr<Estimator> make_row_factor_estimator(std::unique_ptr<Estimator> inner, const Family& family,
                                                     SubsampledDensity& density);

}  // namespace kullback::infer
