// Steps along noisy gradients.
#pragma once

#include <memory>

#include "infer/vi/scheme.hpp"

namespace kullback::infer {

std::unique_ptr<Scheme> make_stochastic_ascent(const SchemeSetting& setting);

}  // namespace kullback::infer
