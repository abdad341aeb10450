// Rows to train on and rows that are held out.
#pragma once

#include <torch/types.h>

#include <cstdint>

namespace kullback::deep {

struct RowSplit {
  torch::Tensor train, held_out;  // int64 rows, in order
};

// `part` of the rows is held out, always the same ones for one seed.
RowSplit split_rows(std::int64_t rows, double part, std::uint64_t seed);

}  // namespace kullback::deep
