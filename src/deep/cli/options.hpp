// Options that several verbs have.
#pragma once

#include "base/option.hpp"
#include "deep/bnn/fit/network.hpp"
#include "deep/train/options.hpp"

namespace kullback::deep::cli::option {

// Data.
inline constexpr auto kImage =
    TextOption("image", "Rows of a table are images: 28x28, or 32x32x3").shown_as("HEIGHTxWIDTH");
inline constexpr auto kIgnore =
    ListOption("ignore", "Column to leave out; may be given several times").shown_as("COLUMN");
inline constexpr auto kValidation =
    NumberOption("validation", 0.1, "Part of the rows that is held out, to judge and to stop by; 0: none")
        .from(0)
        .below(1)
        .hinted("0.1 holds out a tenth of the rows, 0 none.");

// Training.
inline constexpr auto kEpochs =
    CountOption("epochs", 0, "Passes over the data; auto: about 20,000 steps").from(1).to(1e8).automatic();
constexpr auto batch_option(std::size_t preset, std::string_view help) {
  return CountOption("batch", preset, help).from(1).to(1e9);
}
inline constexpr auto kRate = NumberOption("rate", 0.001, "Rate of Adam").above(0);
inline constexpr auto kPatience =
    CountOption("patience",
                "Epochs without a better held-out figure after which training ends; the best epoch is kept; "
                "0: never (default: a fifth of the epochs)")
        .to(1e8);
inline constexpr auto kJudgeEvery =
    CountOption("judge_every", 1, "Epochs between two held-out figures").from(1).to(1e8);

// How a run goes, and not what it gives.
inline constexpr auto kOut =
    TextOption("out", "Folder of the results (default: the data's name and the verb's, as DATA-vae)")
        .shown_as("DIR");
inline constexpr auto kSeed =
    CountOption("seed", "Seed of all random numbers (default: a random one, which is recorded)");
inline constexpr auto kSaveEvery = NumberOption("save_every", 30, "Seconds between checkpoints").from(0);
inline constexpr auto kResume =
    FlagOption("resume", false, "Go on with an interrupted training in the folder");
inline constexpr auto kForce = FlagOption("force", false, "Replace what is there already");
inline constexpr auto kQuiet = FlagOption("quiet", false, "Print nothing but errors");
inline constexpr auto kDevice = ChoiceOption("device", DeviceKind::automatic, "auto|cpu|cuda",
                                             "Where numbers are; auto: CUDA where there is a device");
inline constexpr auto kThreads =
    CountOption("threads", "Threads (default: all cores; training of small networks: one)").from(1).to(4096);
inline constexpr auto kDeviceMemory =
    SizeOption("device_memory",
               "Most of the device's memory for the rows; 0: none (default: half of what is free); rows that "
               "need more stay in the host's memory and are copied a minibatch ahead");
inline constexpr const OptionRecord* kRun[] = {&kOut,   &kSeed,  &kSaveEvery, &kResume,
                                               &kForce, &kQuiet, &kDevice,    &kThreads};
inline constexpr const OptionRecord* kRunWithMemory[] = {
    &kOut, &kSeed, &kSaveEvery, &kResume, &kForce, &kQuiet, &kDevice, &kThreads, &kDeviceMemory};

// Of verbs that work on the folder of a trained model.
inline constexpr auto kCount = CountOption("count", 64, "Of new rows").from(1).to(1e7);
inline constexpr auto kDrawSeed =
    CountOption("seed", 1, "Of the random numbers; another gives others").to(0xFFFFFFFF);
inline constexpr auto kRows =
    CountOption("rows", "How many rows to take, from the first on (default: all)").from(1).to(1e9);
inline constexpr auto kLabel = TextOption("label", "Of a conditional model: the label of the rows");
inline constexpr auto kLabelOfDraws =
    TextOption("label", "Of a conditional model: the label of the rows (default: each in turn)");
inline constexpr auto kLabels = TextOption("labels", "Labels of the rows, as in the training");
inline constexpr auto kStrip =
    TextOption("strip", "PNG file of the way from noise to images").shown_as("FILE");
inline constexpr auto kSamplesFile =
    TextOption("out", "CSV, .npy or (images) .png file (default: DIR/new_samples.png, or .csv)")
        .shown_as("FILE");
inline constexpr auto kLoglikFile =
    TextOption("out", "CSV or .npy file, a line for each row (default: DIR/loglik.csv)").shown_as("FILE");
inline constexpr const OptionRecord* kRunOnFolder[] = {&kForce, &kQuiet, &kDevice, &kThreads};
inline constexpr const OptionRecord* kDeviceOptions[] = {&kQuiet, &kDevice, &kThreads};

}  // namespace kullback::deep::cli::option
