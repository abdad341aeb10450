// Whether chains agree on what a network predicts, however its parameters differ.
#pragma once

#include <torch/types.h>

#include <vector>

namespace kullback::deep {

// predictions [chains, draws, rows]: rank-normalised split R-hat (stats::rhat) of each row's.
std::vector<double> function_rhat(const torch::Tensor& predictions);

}  // namespace kullback::deep
