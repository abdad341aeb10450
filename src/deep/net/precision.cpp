#include "deep/net/precision.hpp"

#include <ATen/Context.h>

#include "base/error.hpp"

namespace kullback::deep {

torch::Dtype type_of_precision(const std::string& precision) {
  if (precision == "float64") return torch::kFloat64;
  if (precision == "float32" || precision == "tf32" || precision == "bf16") return torch::kFloat32;
  throw Error(ErrorKind::usage, "there is no precision '" + precision + "'.",
              "Known are: float32, float64, tf32, bf16.");
}

void use_products_of(const std::string& precision) {
  at::Context& context = at::globalContext();
  context.setAllowTF32CuBLAS(precision == "tf32");
  context.setAllowTF32CuDNN(precision == "tf32");
  context.setDeterministicCuDNN(true);
}

}  // namespace kullback::deep
