// A first q(theta) by stochastic steps over a sample: their noise leaves poor maxima of the bound that
// coordinate ascent from a random start would stay in.
#pragma once

#include <cstddef>

#include "conjugate/model.hpp"

namespace kullback::conjugate {

// For Model::begin, after it has set a random q(theta). `batch` units at a time, `passes` over the sample.
void warm_up(Model& model, const Batch& sample, std::size_t batch, std::size_t passes, Random& random);

}  // namespace kullback::conjugate
