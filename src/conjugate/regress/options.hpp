// Options of both kinds of regression.
#pragma once

#include <vector>

#include "base/settings.hpp"
#include "conjugate/data.hpp"
#include "conjugate/regress/posterior.hpp"

namespace kullback::conjugate::regress {

std::vector<Option> prior_options(bool is_linear);
// All but the noise. Throws Error usage for options that the prior does not read.
PriorChoice read_prior(const Settings& settings, const Shape& shape);
void read_noise(const Settings& settings, PriorChoice& choice);
// Throws Error where there is no target or its words cannot be one.
void refuse_target(const Shape& shape, bool is_logistic);

}  // namespace kullback::conjugate::regress
