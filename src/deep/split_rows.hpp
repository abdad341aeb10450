// Rows to train on and rows that are held out.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>

namespace kullback::deep {

struct RowSplit {
  torch::Tensor train, held_out;  // int64 rows, in order
};

// `part` of the rows is held out, always the same ones for one seed.
RowSplit split_rows(std::int64_t rows, double part, std::uint64_t seed);
// The same of a file's rows. Throws Error bad_input where fewer than two are left to train on.
RowSplit split_rows(std::int64_t rows, double part, std::uint64_t seed, const std::string& file);

}  // namespace kullback::deep
