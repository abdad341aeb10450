#include "deep/bnn/seeded_normal.hpp"

#include <ATen/CPUGeneratorImpl.h>

#include <vector>

#include "base/random.hpp"
#include "deep/purpose.hpp"

namespace kullback::deep {

torch::Tensor seeded_normal(SeededNoise noise, std::int64_t nets, at::IntArrayRef shape,
                            const torch::TensorOptions& options) {
  const auto on_host = torch::TensorOptions(torch::kCPU).dtype(options.dtype());
  std::vector<torch::Tensor> parts;
  for (std::int64_t net = 0; net < nets; ++net) {
    Random random(noise.seed, static_cast<std::uint32_t>(noise.first_net + net),
                  static_cast<std::uint32_t>(Purpose::prediction), noise.index);
    at::Generator generator = at::detail::createCPUGenerator(random());
    parts.push_back(at::randn(shape, generator, on_host));
  }
  return at::stack(parts).to(options.device());
}

}  // namespace kullback::deep
