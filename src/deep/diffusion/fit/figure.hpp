// A mean over rows with its standard error.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <limits>
#include <string>

namespace kullback::deep::diffusion {

struct Figure {
  double mean = std::numeric_limits<double>::quiet_NaN();
  double error = 0;
  std::int64_t rows = 0;

  // Of a mean log probability or density of rows with so many numbers, in nats.
  double bits_per_dim(std::int64_t dims) const;
};

// rows: double [rows], on the CPU.
Figure figure_of(const torch::Tensor& rows);

// summary.json: the bound on held-out rows.
std::string summary_json(const Figure& bound, std::int64_t dims, std::int64_t train_rows,
                         std::int64_t held_out_rows);

}  // namespace kullback::deep::diffusion
