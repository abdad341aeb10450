// How a conjugate model is fitted: the methods, and the options that each of them reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "base/option.hpp"

namespace kullback::conjugate {

enum class Method : unsigned char {
  cavi,       // all units, then each block of q(theta) to its optimum
  svi,        // minibatches, then a step of natural gradient (Hoffman, Blei, Wang, Paisley 2013)
  streaming,  // piece after piece, each piece's posterior the prior of the next (Broderick et al. 2013)
};

enum class StepRule : unsigned char { robbins_monro, adam };
enum class UnitSampling : unsigned char { uniform, importance };

namespace option {
inline constexpr auto kMethod = ChoiceOption<Method>("method", Method::cavi, "cavi|svi|streaming",
                                                     "cavi: coordinate ascent on all data; svi: minibatches "
                                                     "and natural gradients; streaming: piece after piece, "
                                                     "once");
inline constexpr auto kStarts =
    CountOption("starts", 1, "Starts from different random points; the best bound wins").from(1).to(10'000);
inline constexpr auto kPasses =
    CountOption("passes", 500, "Passes over the data, at most").from(1).to(1'000'000'000);
inline constexpr auto kNoisyPasses =  // of svi
    CountOption("passes", 20, "Passes over the data").from(1).to(1'000'000'000);
inline constexpr auto kBoundTol =
    NumberOption(
        "bound_tol", 1e-6,
        "cavi ends when a pass raises the bound by less than this part of its size; streaming goes on to "
        "the next piece")
        .from(0);
inline constexpr auto kFirstSteps =
    CountOption("first_steps", 1, "Steps of the first pass, each on a part of the units; not with --stream")
        .from(1)
        .to(1'000);
inline constexpr auto kBatch =
    CountOption("batch", 1024, "Units of a minibatch, or of a piece").from(1).to(1'000'000'000);
inline constexpr auto kStep = ChoiceOption<StepRule>("step", StepRule::robbins_monro, "robbins-monro|adam",
                                                     "How far a minibatch moves the posterior");
inline constexpr auto kDelay =
    NumberOption("delay", 10, "Step t of robbins-monro has length (delay + t)^-forgetting").from(1).to(1e9);
inline constexpr auto kForgetting =
    NumberOption("forgetting", 0.7, "The exponent in it: above 0.5 and up to 1 converges").from(0).to(1);
inline constexpr auto kRate = NumberOption("rate", 0.02, "Rate of the steps of adam").above(0);
inline constexpr auto kRowSampling = ChoiceOption<UnitSampling>(
    "row_sampling", UnitSampling::uniform, "uniform|importance", "Which rows or documents make a minibatch");
inline constexpr auto kPolish =
    CountOption("polish", 2, "Passes of cavi at the end, which remove what noise is left; not with --stream")
        .to(1'000'000);
inline constexpr auto kInner =
    CountOption("inner", 50, "Updates on one piece, at most").from(1).to(1'000'000);
inline constexpr auto kSaveEvery = NumberOption("save_every", 10, "Seconds between checkpoints").from(0);
}  // namespace option

// What the methods read beside the options of all, in the order of `Method`.
std::span<const OwnedTable> method_tables();

struct TrainOptions {
  Method method = default_of(option::kMethod);
  std::size_t passes = default_of(option::kPasses);
  double bound_tol = default_of(option::kBoundTol);
  std::size_t first_steps = default_of(option::kFirstSteps);
  std::size_t batch = default_of(option::kBatch);
  double delay = default_of(option::kDelay);
  double forgetting = default_of(option::kForgetting);
  StepRule step_rule = default_of(option::kStep);
  double rate = default_of(option::kRate);
  UnitSampling sampling = default_of(option::kRowSampling);
  std::size_t polish = default_of(option::kPolish);
  std::size_t inner = default_of(option::kInner);
  std::size_t starts = default_of(option::kStarts);
  std::uint64_t seed = 0;
  std::size_t threads = 1;
  std::filesystem::path checkpoint = {};  // folder; empty: none
  double save_every = default_of(option::kSaveEvery);
  bool resume = false;  // from what is in `checkpoint`
};

// Without what is the run's: seed, threads and checkpoint.
TrainOptions train_options(const OptionValues& values);

}  // namespace kullback::conjugate
