#include "fit/options.hpp"

namespace kullback::fit {

OptionTable fit_options() {
  using namespace option;
  static constexpr const OptionRecord* kOptions[] = {
      &kMethod,      &kSeed,   &kChains,     &kThreads,     &kInit,        &kTolerance,
      &kWasserstein, &kBudget, &kMinibatch,  &kStrata,      &kStream,      &kOut,
      &kForce,       &kResume, &kCheckpoint, &kSensitivity, &kIncludePath, &kMaxMemory};
  return kOptions;
}

OptionTable optimize_options() {
  using namespace option;
  static constexpr const OptionRecord* kOptions[] = {&kJacobian,    &kStartSeed,  &kStart,
                                                     &kIncludePath, &kOptimumOut, &kForce};
  return kOptions;
}

OptionTable simulate_options() {
  using namespace option;
  static constexpr const OptionRecord* kOptions[] = {&kPriorDraws,  &kDataSets,      &kSeed,
                                                     &kIncludePath, &kSimulationOut, &kForce};
  return kOptions;
}

OptionTable calibrate_options() {
  using namespace option;
  static constexpr const OptionRecord* kOptions[] = {&kCalibrated, &kSimulations, &kSeed,           &kThreads,
                                                     &kLevel,      &kIncludePath, &kCalibrationOut, &kForce};
  return kOptions;
}

OptionTable certify_options() {
  using namespace option;
  static constexpr const OptionRecord* kOptions[] = {&kCertifiedTolerance, &kCheckSeed, &kDistances,
                                                     &kThreads, &kCertificateOut};
  return kOptions;
}

OptionTable predict_options() {
  using namespace option;
  static constexpr const OptionRecord* kOptions[] = {&kVocabulary,     &kAllowEmpty,    &kInPieces,
                                                     &kPredictionSeed, &kPredictionOut, &kForce};
  return kOptions;
}

// Method, seed, chains and folder have fields of their own in a record; what is missing decides neither draws
// nor certificate.
OptionTable recorded_options() {
  using namespace option;
  static constexpr const OptionRecord* kOptions[] = {
      &kInit,        &kTolerance,   &kWasserstein, &kBudget,       &kMinibatch,          &kStrata,
      &kStream,      &kIncludePath, &kJacobian,    &kLadderChains, &kToleranceIsDefault, &kDataSets,
      &kSimulations, &kLevel};
  return kOptions;
}

}  // namespace kullback::fit
