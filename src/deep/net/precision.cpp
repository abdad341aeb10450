#include "deep/net/precision.hpp"

#include <ATen/Context.h>

namespace kullback::deep {

torch::Dtype type_of_precision(Precision precision) {
  return precision == Precision::float64 ? torch::kFloat64 : torch::kFloat32;
}

void use_products_of(Precision precision) {
  at::Context& context = at::globalContext();
  context.setAllowTF32CuBLAS(precision == Precision::tf32);
  context.setAllowTF32CuDNN(precision == Precision::tf32);
  context.setDeterministicCuDNN(true);
}

}  // namespace kullback::deep
