// Options of the verbs that run programs, without those of methods, which are in their own tables
// (infer/options.hpp). Options that several verbs have come first; each verb has a table.
#pragma once

#include "base/option.hpp"

namespace kullback::fit {

namespace option {

inline constexpr auto kMethod = TextOption("method", "auto", "How to infer: kullback methods lists them");
inline constexpr auto kSeed =
    CountOption("seed", "Seed of all random numbers (default: a random one, which is recorded)");
inline constexpr auto kChains =
    CountOption("chains", 4, "Number of chains (MCMC methods only)").from(1).to(100'000);
inline constexpr auto kThreads = CountOption("threads", "Threads (default: the machine's cores)")
                                     .from(1)
                                     .to(4096)
                                     .hinted("Leave it out to use all cores.");
inline constexpr auto kInit =
    TextOption("init", "2",
               "Starting points: R for uniform(-R, R) in each unconstrained coordinate, a JSON file with "
               "values of parameters (or the JSON itself), or pathfinder")
        .shown_as("R|FILE|pathfinder");
inline constexpr auto kTolerance =
    NumberOption(
        "tolerance",
        "Accuracy of every mean and sd, in posterior sds; the certificate says whether it was reached")
        .above(0)
        .shown_as("SDS")
        .hinted(
            "0.1 asks for means and standard deviations within a tenth of a posterior standard deviation.");
inline constexpr auto kWasserstein = FlagOption(
    "wasserstein", false,
    "With the certificate: also bound Wasserstein distances from the posterior, by coupled chains");
inline constexpr auto kBudget =
    NumberOption("budget",
                 "Seconds after which --method auto gives the best answer so far "
                 "(the result then depends on the clock)")
        .above(0)
        .shown_as("SECONDS")
        .hinted("60 is a minute. Without it the ladder takes the time that it needs.");
inline constexpr auto kMinibatch =
    TextOption("minibatch", "Take so many rows at a time of all data whose first size is N, such as N=256")
        .shown_as("N=ROWS");
inline constexpr auto kStrata = TextOption(
    "strata", "Integer data, a number for each row: minibatches take their share of rows of each value");
inline constexpr auto kStream =
    ListOption("stream",
               "Rows that stay on disk: NAME=FILE with the numbers of a variable row after row, of the kind "
               "that the ending says (.f64 .f32 .i64 .i32 .i16 .u8), or FILE.csv (repeatable)")
        .shown_as("NAME=FILE|FILE.csv");
inline constexpr auto kOut = TextOption("out", "Folder of the results (default: MODEL-fit)").shown_as("DIR");
inline constexpr auto kForce = FlagOption("force", false, "Replace what is there already");
inline constexpr auto kResume =
    TextOption("resume", "Go on with an unfinished fit, to the same draws").shown_as("DIR");
inline constexpr auto kCheckpoint =
    NumberOption("checkpoint", 1, "Seconds between saves of unfinished chains").from(0).shown_as("SECONDS");
inline constexpr auto kSensitivity = FlagOption(
    "sensitivity", false,
    "Look for conflicts of prior and data: how the posterior answers when either counts a little more");
inline constexpr auto kIncludePath =
    ListOption("include_path", "Folder to search for #include files (repeatable)").shown_as("DIR");
inline constexpr auto kMaxMemory = SizeOption(
    "max_memory", "Refuse a program that needs more, such as 500MB or 4GB (default: what is free)");

// Of kullback optimize.
inline constexpr auto kJacobian = FlagOption(
    "jacobian", false,
    "Maximise the density of the unconstrained parameters, as Laplace does (default: of the constrained)");
inline constexpr auto kStartSeed = CountOption("seed", "Seed of the starting point (default: a random one)");
inline constexpr auto kStart =
    TextOption("init", "2", "Starting point: R for uniform(-R, R), or a JSON file with values")
        .shown_as("R|FILE");
inline constexpr auto kOptimumOut =
    TextOption("out", "Folder of the results (default: MODEL-optimum)").shown_as("DIR");

// Of kullback simulate.
inline constexpr auto kPriorDraws =
    CountOption("draws", 1000, "Draws from the prior").from(1).to(100'000'000);
inline constexpr auto kDataSets = CountOption(
    "data_sets", 0, "Write data-K.json, and params-K.json with what made them, for the first so many draws");
inline constexpr auto kSimulationOut =
    TextOption("out", "Folder of the results (default: MODEL-simulation)").shown_as("DIR");

// Of kullback calibrate.
inline constexpr auto kCalibrated = TextOption("method", "advi", "Method that is calibrated");
inline constexpr auto kSimulations =
    CountOption("simulations", 200, "Data sets to simulate and fit").from(10).to(1'000'000);
inline constexpr auto kLevel =
    NumberOption("level", 0.01, "Share of exact methods that all tests together may call wrong")
        .from(1e-9)
        .to(0.5);
inline constexpr auto kCalibrationOut =
    TextOption("out", "Folder of the results (default: MODEL-calibration)").shown_as("DIR");

// Of kullback certify.
inline constexpr auto kCertifiedTolerance =
    NumberOption("tolerance", 0.1, "How wrong a mean or sd may be, in posterior standard deviations")
        .above(0)
        .shown_as("SDS")
        .hinted(kTolerance.hint);
inline constexpr auto kCheckSeed = CountOption("seed", 0, "Seed of the chains that check the draws");
inline constexpr auto kDistances = FlagOption(
    "wasserstein", false,
    "Also bound Wasserstein distances from the posterior, by coupled chains: of normal approximations");
inline constexpr auto kCertificateOut =
    TextOption("out", "File of the certificate (default: DIR/certificate.json)").shown_as("FILE");

// Of kullback predict.
inline constexpr auto kVocabulary =
    TextOption("vocabulary", "File of the words, one a line (topics)").shown_as("FILE");
inline constexpr auto kAllowEmpty = FlagOption("allow_empty", false, "Keep documents without words (topics)");
inline constexpr auto kInPieces =
    FlagOption("stream", false, "Read new data piece by piece, in little memory (not of Stan programs)");
inline constexpr auto kPredictionSeed = CountOption("seed", 0, "Seed of the predictions' random numbers");
inline constexpr auto kPredictionOut =
    TextOption("out", "Folder of the results (default: DIR-predictions)").shown_as("DIR");

// The ladder's own, in records alone: chains of its chain rungs, whatever method the answer is of, and
// whether the tolerance is its default rather than the user's.
inline constexpr auto kLadderChains = CountOption("ladder_chains", "Chains of the ladder").from(1);
inline constexpr auto kToleranceIsDefault =
    FlagOption("tolerance_is_default", false, "The user named no tolerance");

}  // namespace option

OptionTable fit_options();
OptionTable optimize_options();
OptionTable simulate_options();
OptionTable calibrate_options();
OptionTable certify_options();
OptionTable predict_options();

// Those that run.json has among its options, beside the method's.
OptionTable recorded_options();

}  // namespace kullback::fit
