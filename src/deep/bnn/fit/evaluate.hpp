// What a trained network says of rows, in the units of the target, and how good that is.
#pragma once

#include <torch/types.h>

#include <string>
#include <utility>
#include <vector>

#include "deep/bnn/fit/network.hpp"
#include "deep/bnn/metrics.hpp"

namespace kullback::deep {

using Figures = std::vector<std::pair<std::string, double>>;

struct Evaluation {
  // A line for each row; of classifications the likeliest class is beside them.
  std::vector<std::string> columns = {};
  std::vector<double> cells = {};
  std::vector<std::size_t> likeliest = {};
  std::vector<double> epistemic = {};  // sd of the mean, or mutual information; of each row

  // Of the rows with a known target; empty where there are none.
  std::size_t known = 0;
  Figures figures = {};                   // names as in metrics.json
  std::vector<ReliabilityBin> bins = {};  // of classifications

  double figure(const std::string& name) const;  // NaN where there is none
};

struct EvaluateOptions {
  bool wants_lines = true;  // else only figures and epistemic
  std::int64_t draws = 100;
  std::uint64_t seed = 0;
};

// Rows of which the largest layer of `draws` nets for each member fits into memory.
std::int64_t block_rows(const BuiltNetwork& built, std::int64_t draws);

// x as Preparation::x gives it; target in its own units or as the number of a class, NaN where unknown.
Evaluation evaluate(BuiltNetwork& built, const torch::Tensor& x, const std::vector<double>& target,
                    const EvaluateOptions& options);

}  // namespace kullback::deep
