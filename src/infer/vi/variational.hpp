// Variational inference as a method: a start, a scheme that finds lambda, draws from the answer.
#pragma once

#include <memory>

#include "infer/algorithm.hpp"
#include "infer/vi/parts.hpp"

namespace kullback::infer {

// Parts that `preset` leaves open are what the user gave, else chosen from the model. The names of `preset`
// must live as long as the program.
std::unique_ptr<Algorithm> make_variational(density::LogDensity& density, const Options& options, Start start,
                                            const Preset& preset);

}  // namespace kullback::infer
