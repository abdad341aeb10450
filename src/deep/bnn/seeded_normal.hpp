// Standard normal numbers for predictions: those of net i depend on the seed, on i and on the index alone,
// not on the number of nets nor on the device.
#pragma once

#include <torch/types.h>

#include <cstdint>

namespace kullback::deep {

struct SeededNoise {
  std::uint64_t seed = 0;
  std::uint32_t index = 0;  // of several independent ones
  std::int64_t first_net = 0;
};

// [nets, shape...]
torch::Tensor seeded_normal(SeededNoise noise, std::int64_t nets, at::IntArrayRef shape,
                            const torch::TensorOptions& options);

}  // namespace kullback::deep
