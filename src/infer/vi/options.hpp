// Options of variational inference that several parts read; one that a single part reads is in its .cpp.
#pragma once

#include "infer/options.hpp"

namespace kullback::infer::option {

inline constexpr auto kFamily = TextOption("family", "", "Family of the approximation");
inline constexpr auto kObjective = TextOption("objective", "", "What the approximation maximises");
inline constexpr auto kEstimator = TextOption("estimator", "", "Estimator of the gradient");
inline constexpr auto kOptimizer = TextOption("optimizer", "", "What is done with the gradient");
inline constexpr auto kSampling =
    TextOption("sampling", "iid", "Noise of the draws: iid, antithetic or sobol");
inline constexpr auto kGradDraws =
    CountOption("grad_draws", 0, "Draws of each gradient of the objective").automatic();
inline constexpr auto kLearningRate =
    NumberOption("learning_rate", 0, "First step size of the optimiser").above(0).automatic();
inline constexpr auto kMaxSteps =
    CountOption("max_steps", 10000, "Steps of the approximation at most").from(1);
// 0 or above 0.5; stochastic_ascent.cpp checks it.
inline constexpr auto kDecay = NumberOption(
    "decay", 0, "Robbins-Monro: the step size falls as step^-decay, 0.5 < decay <= 1; 0: in stages");
inline constexpr auto kBatchSize =
    CountOption("batch_size", 0, "Rows of the data in a minibatch").automatic();
inline constexpr auto kRowSampling = TextOption(
    "row_sampling", "uniform", "How minibatches choose rows: uniform, epochs, strata or importance");
inline constexpr auto kRowControl =
    TextOption("row_control", "", "Control variate of minibatches: anchor or none");
inline constexpr auto kImportanceDraws =
    CountOption("importance_draws", 10, "Draws of one value of a bound of several draws").from(1);
inline constexpr auto kAlpha =
    NumberOption("alpha", 0.5, "Order of the Renyi bound: 1 is the ELBO, less covers more mass");
inline constexpr auto kLayers = CountOption("layers", 0, "Layers of a flow").automatic();
inline constexpr auto kHidden = CountOption("hidden", 0, "Hidden units of the nets of a flow").automatic();

}  // namespace kullback::infer::option
