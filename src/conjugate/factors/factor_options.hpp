// Options that all factor models have.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/option.hpp"
#include "conjugate/data.hpp"

namespace kullback::conjugate {

namespace option {
// The most factors is that of the data's columns.
inline constexpr auto kFactors =
    CountOption("factors", 10, "Most factors; those that the data do not need are shut");
inline constexpr auto kArdShape =
    NumberOption("ard_shape", 1e-9, "Shape of the gamma prior of a factor's precision").above(0);
inline constexpr auto kArdRate =
    NumberOption("ard_rate", 1e-9, "Rate of the gamma prior of a factor's precision, for data of variance 1")
        .above(0);
inline constexpr auto kNoiseShape =
    NumberOption("noise_shape", 1e-6, "Shape of the gamma prior of a noise precision").above(0);
inline constexpr auto kNoiseRate =
    NumberOption("noise_rate", 1e-6, "Rate of the gamma prior of a noise precision, for data of variance 1")
        .above(0);
inline constexpr auto kNoiseSd =
    NumberOption("noise_sd", "Standard deviation of the noise in units of the data, where it is known")
        .above(0)
        .hinted("Leave it out: it is then learned.");
inline constexpr auto kRotate =
    FlagOption("rotate", true, "Whether factors are rotated between passes, which takes fewer of them");
inline constexpr auto kReconstruct =
    TextOption("reconstruct",
               "Columns whose reconstruction is written for each row: all, or names with commas between")
        .shown_as("COLUMNS");
}  // namespace option

inline constexpr const OptionRecord* kSharedFactorOptions[] = {
    &option::kArdShape, &option::kArdRate, &option::kNoiseShape, &option::kNoiseRate,
    &option::kNoiseSd,  &option::kRotate,  &option::kReconstruct};

// Numbers of the columns in --reconstruct: none, "all", or names with commas between. Throws Error usage for
// a name that is not there.
std::vector<std::size_t> chosen_columns(std::string_view text, const Shape& shape);

}  // namespace kullback::conjugate
