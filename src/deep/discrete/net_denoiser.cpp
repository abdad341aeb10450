#include "deep/discrete/net_denoiser.hpp"

namespace kullback::deep::discrete {

diffusion::NetSpec net_spec(diffusion::NetSpec spec, const Process& process, std::int64_t dims) {
  spec.inputs = process.inputs() * dims;
  spec.outputs = process.outputs() * dims;
  spec.channels *= process.outputs();
  return spec;
}

torch::Tensor NetDenoiser::at(const torch::Tensor& state, const torch::Tensor& t) const {
  const NetInput seen = process_.seen(state, t);
  const torch::Tensor raw = net_.forward(parameters_, seen.x.flatten(1), seen.c, {});
  return process_.meant(raw.view({raw.size(0), process_.outputs(), -1}).transpose(1, 2), state, t);
}

}  // namespace kullback::deep::discrete
