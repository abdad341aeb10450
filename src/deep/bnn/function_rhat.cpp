#include "deep/bnn/function_rhat.hpp"

#include <cstddef>

#include "stats/chains.hpp"

namespace kullback::deep {

std::vector<double> function_rhat(const torch::Tensor& predictions) {
  const torch::Tensor by_row = predictions.detach()
                                   .to(torch::TensorOptions(torch::kCPU).dtype(torch::kFloat64))
                                   .permute({2, 0, 1})
                                   .contiguous();
  const auto chains = static_cast<std::size_t>(by_row.size(1)),
             draws = static_cast<std::size_t>(by_row.size(2));
  std::vector<double> result;
  const double* values = by_row.data_ptr<double>();
  for (std::int64_t row = 0; row < by_row.size(0); ++row, values += chains * draws)
    result.push_back(stats::rhat({.values = {values, chains * draws}, .chains = chains, .draws = draws}));
  return result;
}

}  // namespace kullback::deep
