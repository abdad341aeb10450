// --precision of the programs: the type of numbers, and how exactly layers multiply.
#pragma once

#include <torch/types.h>

#include <string>

namespace kullback::deep {

// "float32", "float64", "tf32" (a GPU's fast products of float32), "bf16" (products of training steps in
// bfloat16). Throws Error usage for another.
torch::Dtype type_of_precision(const std::string& precision);
// From now on products and convolutions of float32 on a GPU are exact to 10 digits in base 2 where the
// precision says so, and to all 23 else (LibTorch rounds convolutions unless told otherwise); and of the
// algorithms for convolutions only those are used that give the same bits each time.
void use_products_of(const std::string& precision);

}  // namespace kullback::deep
