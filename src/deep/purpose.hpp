// What the random numbers of deep models are for: streams are Random(seed, net, purpose, index).
#pragma once

#include <cstdint>

namespace kullback::deep {

enum class Purpose : std::uint32_t {
  fresh_parameters = 0x100,
  epoch,  // seeds of LibTorch's generators, by epoch
  split,  // training, validation and test rows
  prediction,
  evaluation,
  fresh_covariance,
  binarisation,  // of images, once
  chains,        // where those of an energy begin
};

}  // namespace kullback::deep
