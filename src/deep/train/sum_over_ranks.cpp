#include "deep/train/sum_over_ranks.hpp"

namespace kullback::deep {

SumOverRanks::SumOverRanks(const Ranks& ranks, const torch::Device& device) {
  if (ranks.size() == 1) return;
  ranks_ = &ranks;
  if (device.is_cuda()) on_device_ = std::make_shared<DeviceSum>(ranks, device);
}

void SumOverRanks::add_up(torch::Tensor& tensor) const {
  if (is_alone()) return;
  if (on_device_ && tensor.is_cuda()) return on_device_->add_up(tensor);
  torch::Tensor numbers =
      tensor.to(torch::TensorOptions().device(torch::kCPU).dtype(torch::kFloat64)).contiguous();
  ranks_->sum({numbers.data_ptr<double>(), static_cast<std::size_t>(numbers.numel())});
  tensor.copy_(numbers.view_as(tensor));
}

}  // namespace kullback::deep
