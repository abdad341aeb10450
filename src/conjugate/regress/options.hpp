// Options of both kinds of regression.
#pragma once

#include "base/option.hpp"
#include "conjugate/data.hpp"
#include "conjugate/regress/posterior.hpp"

namespace kullback::conjugate::regress {

namespace option {
inline constexpr auto kPrior = ChoiceOption<Prior>("prior", Prior::ridge, "gaussian|ridge|ard|spike-slab",
                                                   "gaussian: known precision; ridge: one learned precision; "
                                                   "ard: one for each column; spike-slab: columns in "
                                                   "or out");
inline constexpr auto kPrecision =
    NumberOption(
        "precision",
        "Prior precision of standardised coefficients (gaussian: 1 unless given; spike-slab: learned "
        "unless given)")
        .above(0);
inline constexpr auto kPrecisionShape =
    NumberOption("precision_shape", "Shape of the gamma prior of learned precisions (1e-6; spike-slab: 1)")
        .above(0);
inline constexpr auto kPrecisionRate =
    NumberOption("precision_rate", "Its rate (ridge: 1e-6; ard: 1e-12; spike-slab: 1)").above(0);
inline constexpr auto kInclusion =
    NumberOption("inclusion", "spike-slab: prior probability that a column is in (learned unless given)")
        .above(0)
        .below(1)
        .hinted("Leave it out: it is then learned.");
inline constexpr auto kScale = FlagOption("scale", true, "Whether columns are scaled, or else only centred");
}  // namespace option

inline constexpr const OptionRecord* kSharedOptions[] = {&option::kPrior,          &option::kPrecision,
                                                         &option::kPrecisionShape, &option::kPrecisionRate,
                                                         &option::kInclusion,      &option::kScale};

inline constexpr double kVague = 1e-6;  // shape and rate of a gamma prior that says little: scikit-learn's

// All but the intercept's and the noise. Throws Error usage for options that the prior does not read.
PriorChoice read_prior(const OptionValues& values, const Shape& shape);
// Throws Error where there is no target or its words cannot be one.
void refuse_target(const Shape& shape, bool is_logistic);

}  // namespace kullback::conjugate::regress
