// Options of both kinds of topics.
#pragma once

#include "base/option.hpp"

namespace kullback::conjugate {

namespace option {
inline constexpr auto kInnerTolerance =
    NumberOption("inner_tolerance", 0.001, "A document is done when its topics change less, in tokens each")
        .above(0);
inline constexpr auto kInnerRounds =
    CountOption("inner_rounds", 100, "The most rounds in one document and pass").from(1).to(1'000'000);
inline constexpr auto kFreshPasses =
    CountOption("fresh_passes", 10,
                "Passes in which documents start afresh; from then on the bound never falls")
        .to(1'000'000);
inline constexpr auto kTopWords =
    CountOption("top_words", 10, "Words of each topic in topics.csv").from(1).to(1'000'000);
inline constexpr auto kTopicWords =
    FlagOption("topic_words", false, "Write all probabilities to topic_words.csv");
}  // namespace option

inline constexpr const OptionRecord* kSharedTopicOptions[] = {&option::kInnerTolerance, &option::kInnerRounds,
                                                              &option::kFreshPasses, &option::kTopWords,
                                                              &option::kTopicWords};

}  // namespace kullback::conjugate
