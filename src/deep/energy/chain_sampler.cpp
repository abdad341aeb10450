#include "deep/energy/chain_sampler.hpp"

#include <torch/csrc/autograd/autograd.h>

#include <array>

namespace kullback::deep {

#define KULLBACK_CHAIN_SAMPLER(record) extern const ChainSamplerRecord record;
#include "deep/energy/samplers.def"
#undef KULLBACK_CHAIN_SAMPLER

std::span<const ChainSamplerRecord* const> chain_samplers() {
  static const std::array kRecords = {
#define KULLBACK_CHAIN_SAMPLER(record) &record,
#include "deep/energy/samplers.def"
#undef KULLBACK_CHAIN_SAMPLER
  };
  return kRecords;
}

const ChainSamplerRecord* find_chain_sampler(std::string_view name) {
  for (const ChainSamplerRecord* record : chain_samplers())
    if (record->name == name) return record;
  return nullptr;
}

Potential ChainTarget::potential(const torch::Tensor& x) const {
  const at::AutoGradMode with_gradient(true);
  const torch::Tensor leaf = x.detach().requires_grad_();
  const torch::Tensor value = energy_.at(parameters_, leaf, b_);
  const torch::Tensor gradient = torch::autograd::grad({value.sum()}, {leaf})[0];
  return {value.detach().to(torch::kFloat64).unsqueeze(1), gradient};
}

}  // namespace kullback::deep
