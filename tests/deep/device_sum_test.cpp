#include "deep/train/device_sum.hpp"

#include <gtest/gtest.h>
#include <torch/cuda.h>

#include "base/error.hpp"
#include "deep/train/step_graph.hpp"

namespace kullback::deep {
namespace {

TEST(DeviceSum, OfOneProcessIsTheNumberItself) {
  if (!torch::cuda::is_available() || !DeviceSum::is_built()) GTEST_SKIP() << "no CUDA device, or no NCCL";
  const Ranks ranks;
  const torch::Device device(torch::kCUDA, 0);
  DeviceSum sum(ranks, device);
  for (const auto type : {torch::kFloat32, torch::kFloat64}) {
    const torch::Tensor before = torch::arange(1000, torch::TensorOptions().device(device).dtype(type));
    torch::Tensor numbers = before.clone(), turned = before.view({50, 20}).t();
    sum.add_up(numbers);
    sum.add_up(turned);
    EXPECT_TRUE(numbers.equal(before));
    EXPECT_TRUE(turned.equal(before.view({50, 20}).t()));
  }
}

TEST(DeviceSum, MayBePartOfACapturedStep) {
  if (!torch::cuda::is_available() || !DeviceSum::is_capturable())
    GTEST_SKIP() << "no CUDA device, or no NCCL";
  const Ranks ranks;
  const torch::Device device(torch::kCUDA, 0);
  DeviceSum sum(ranks, device);
  torch::Tensor state = torch::zeros({10}, torch::TensorOptions().device(device));
  StepGraph graph(
      [&] {
        torch::Tensor one = torch::ones_like(state);
        sum.add_up(one);
        return state.add_(one);
      },
      device, StepGraph::Captured::beside_threads);
  for (int i = 0; i < 8; ++i) graph.run();
  EXPECT_TRUE((state == 8).all().item<bool>());
}

TEST(DeviceSum, IsRefusedInASentenceWithoutNccl) {
  if (DeviceSum::is_built()) GTEST_SKIP() << "built with NCCL";
  const Ranks ranks;
  try {
    DeviceSum sum(ranks, torch::kCUDA);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_EQ(error.message(),
              "this kullback-deep was built without NCCL, so 1 processes cannot sum gradients on GPUs.");
  }
}

}  // namespace
}  // namespace kullback::deep
