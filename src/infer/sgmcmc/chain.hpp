// What the methods of stochastic-gradient MCMC share: the start, step sizes, draws. A method is a Dynamics.
#pragma once

#include <memory>
#include <string_view>

#include "infer/algorithm.hpp"
#include "infer/sgmcmc/dynamics.hpp"

namespace kullback::infer {

// Throws Error usage for options without sense.
std::unique_ptr<Algorithm> make_sg_chain(density::LogDensity& density, const Options& options, Start start,
                                         std::unique_ptr<Dynamics> dynamics);

// Hints of refusals.
inline constexpr std::string_view kUniformRows =
    "Chains take each set of rows with the same probability: what is said of their bias is for minibatches "
    "that "
    "do not depend on each other. vi has other ways.";
inline constexpr std::string_view kAnchorIsControl =
    "--sg-anchor mode or none is the control variate of stochastic-gradient chains.";

// Of --sg-friction, for dynamics with momenta; `around.sd` where it is chosen.
double friction_of(const Options& options, const Surroundings& around);

}  // namespace kullback::infer
