#include "conjugate/train_options.hpp"

namespace kullback::conjugate {

namespace {

constexpr const OptionRecord* kCavi[] = {&option::kPasses, &option::kBoundTol, &option::kFirstSteps};
constexpr const OptionRecord* kSvi[] = {&option::kNoisyPasses, &option::kBatch,      &option::kStep,
                                        &option::kDelay,       &option::kForgetting, &option::kRate,
                                        &option::kRowSampling, &option::kPolish};
constexpr const OptionRecord* kStreaming[] = {&option::kBatch, &option::kInner, &option::kBoundTol};

constexpr OwnedTable kMethods[] = {{"cavi", kCavi}, {"svi", kSvi}, {"streaming", kStreaming}};

std::size_t passes_of(const OptionValues& values) {
  switch (values[option::kMethod]) {
    case Method::cavi: return values[option::kPasses];
    case Method::svi: return values[option::kNoisyPasses];
    case Method::streaming: break;
  }
  return 1;
}

}  // namespace

std::span<const OwnedTable> method_tables() { return kMethods; }

TrainOptions train_options(const OptionValues& values) {
  return {.method = values[option::kMethod],
          .passes = passes_of(values),
          .bound_tol = values[option::kBoundTol],
          .first_steps = values[option::kFirstSteps],
          .batch = values[option::kBatch],
          .delay = values[option::kDelay],
          .forgetting = values[option::kForgetting],
          .step_rule = values[option::kStep],
          .rate = values[option::kRate],
          .sampling = values[option::kRowSampling],
          .polish = values[option::kPolish],
          .inner = values[option::kInner],
          .starts = values[option::kStarts],
          .save_every = values[option::kSaveEvery]};
}

}  // namespace kullback::conjugate
