#include "deep/train/sum_over_ranks.hpp"

namespace kullback::deep {

void SumOverRanks::add_up(torch::Tensor& tensor) const {
  if (is_alone()) return;
  torch::Tensor numbers =
      tensor.to(torch::TensorOptions().device(torch::kCPU).dtype(torch::kFloat64)).contiguous();
  ranks_->sum({numbers.data_ptr<double>(), static_cast<std::size_t>(numbers.numel())});
  tensor.copy_(numbers.view_as(tensor));
}

}  // namespace kullback::deep
