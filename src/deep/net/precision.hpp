// --precision of the programs: the type of numbers, and how exactly layers multiply.
#pragma once

#include <torch/types.h>

#include "base/option.hpp"

namespace kullback::deep {

enum class Precision {
  float32,
  float64,
  tf32,  // a GPU's fast products of float32
  bf16,  // products of training steps in bfloat16
};

// What verbs have: all of them, or the first ones.
inline constexpr auto kPrecision =
    ChoiceOption("precision", Precision::float32, "float32|float64|tf32|bf16",
                 "Type of numbers; tf32: a GPU's fast products of float32; bf16: products of training steps "
                 "in bfloat16");
inline constexpr auto kPrecisionOfFloats =
    ChoiceOption("precision", Precision::float32, "float32|float64|tf32",
                 "Type of numbers; tf32: a GPU's fast products of float32");
inline constexpr auto kPrecisionOfChains =
    ChoiceOption("precision", Precision::float32, "float32|float64", "Type of numbers");

torch::Dtype type_of_precision(Precision precision);
// From now on products and convolutions of float32 on a GPU are exact to 10 digits in base 2 where the
// precision says so, and to all 23 else (LibTorch rounds convolutions unless told otherwise); and of the
// algorithms for convolutions only those are used that give the same bits each time.
void use_products_of(Precision precision);

}  // namespace kullback::deep
