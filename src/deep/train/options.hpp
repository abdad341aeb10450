// Options of training that several kinds of model have.
#pragma once

#include "base/option.hpp"
#include "deep/train/adam.hpp"

namespace kullback::deep {

constexpr auto schedule_option(Schedule preset) {
  return ChoiceOption("schedule", preset, "constant|cosine", "Of the rate; cosine: it falls to 0");
}
inline constexpr auto kConstantRate = schedule_option(Schedule::constant);
inline constexpr auto kFallingRate = schedule_option(Schedule::cosine);

}  // namespace kullback::deep
