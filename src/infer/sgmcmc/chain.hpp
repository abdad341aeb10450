// What the methods of stochastic-gradient MCMC share: the start, step sizes, draws. A method is a Dynamics.
#pragma once

#include <memory>

#include "infer/algorithm.hpp"
#include "infer/sgmcmc/dynamics.hpp"

namespace kullback::infer {

// Throws Error usage for options without sense.
std::unique_ptr<Algorithm> make_sg_chain(density::LogDensity& density, const Options& options, Start start,
                                         std::unique_ptr<Dynamics> dynamics);

// Of --sg-friction, for dynamics with momenta; `around.sd` where it is chosen.
double friction_of(const Options& options, const Surroundings& around);

}  // namespace kullback::infer
