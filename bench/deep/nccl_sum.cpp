// Sums over processes of tensors on GPUs, against the exact ones, and their time: eager, and replayed in a
// captured graph. One process makes a group of its own; with several, each takes a GPU:
//   nccl_sum        mpirun -n 2 nccl_sum
#include <torch/cuda.h>
#include <torch/version.h>

#include <chrono>
#include <cstdio>
#include <exception>

#include "base/error.hpp"
#include "base/ranks.hpp"
#include "deep/bnn/fit/network.hpp"
#include "deep/train/device_sum.hpp"
#include "deep/train/step_graph.hpp"

namespace {

using namespace kullback;
using namespace kullback::deep;

constexpr int kTimes = 50;

// Microseconds of a call, the device included.
template <class Act>
double time_of(const Act& act) {
  for (int i = 0; i < 10; ++i) act();
  torch::cuda::synchronize();
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < kTimes; ++i) act();
  torch::cuda::synchronize();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() * 1e6 / kTimes;
}

// Whole numbers, so that sums are exact: rank + 1 of all ranks.
bool is_exact(DeviceSum& sum, const Ranks& ranks, const torch::Device& device, std::int64_t size) {
  torch::Tensor numbers = torch::full({size}, static_cast<double>(ranks.rank() + 1),
                                      torch::TensorOptions().device(device).dtype(torch::kFloat32));
  sum.add_up(numbers);
  const double wanted = ranks.size() * (ranks.size() + 1) / 2.0;
  torch::Tensor turned = torch::full({3, 5}, 2.0, numbers.options()).t();  // not contiguous
  sum.add_up(turned);
  return (numbers == wanted).all().item<bool>() && (turned == 2.0 * ranks.size()).all().item<bool>();
}

// A step that adds 1 and sums, captured: after n runs of one process the number is n.
bool is_exact_captured(DeviceSum& sum, const Ranks& ranks, const torch::Device& device) {
  torch::Tensor state = torch::zeros({1000}, torch::TensorOptions().device(device).dtype(torch::kFloat64));
  StepGraph graph(
      [&] {
        torch::Tensor one = torch::ones_like(state);
        sum.add_up(one);
        state.add_(one);
        return state;
      },
      device, DeviceSum::is_capturable() ? StepGraph::Captured::beside_threads : StepGraph::Captured::no);
  for (int i = 0; i < 20; ++i) graph.run();
  torch::cuda::synchronize();
  return (state == 20.0 * ranks.size()).all().item<bool>();
}

int run(const Ranks& ranks) {
  if (!torch::cuda::is_available()) {
    std::puts("there is no CUDA device here: nothing to sum");
    return 0;
  }
  const torch::Device device = device_of(DeviceKind::cuda, ranks);
  DeviceSum sum(ranks, device);
  const bool is_right = is_exact(sum, ranks, device, 1'000'003);
  const bool is_captured_right = is_exact_captured(sum, ranks, device);
  if (ranks.is_first())
    std::printf("LibTorch %s, %d processes: sums %s, captured (%s) %s\n", TORCH_VERSION, ranks.size(),
                is_right ? "exact" : "WRONG", DeviceSum::is_capturable() ? "as a graph" : "not possible",
                is_captured_right ? "exact" : "WRONG");
  for (const std::int64_t size : {1'000, 100'000, 10'000'000}) {
    torch::Tensor numbers = torch::zeros({size}, torch::TensorOptions().device(device));
    const double eager = time_of([&] { sum.add_up(numbers); });
    StepGraph graph(
        [&] {
          sum.add_up(numbers);
          return numbers;
        },
        device, DeviceSum::is_capturable() ? StepGraph::Captured::beside_threads : StepGraph::Captured::no);
    const double captured = time_of([&] { graph.run(); });
    if (ranks.is_first())
      std::printf("%9ld numbers: %.1f us eager, %.1f us replayed\n", static_cast<long>(size), eager,
                  captured);
  }
  return is_right && is_captured_right ? 0 : 1;
}

}  // namespace

int main() {
  const Ranks ranks;
  try {
    return run(ranks);
  } catch (const Error& error) {
    std::fprintf(stderr, "%s %s\n", error.message().c_str(), error.hint().c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  ranks.abort(1);
  return 1;
}
