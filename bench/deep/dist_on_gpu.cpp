// Every distribution of src/dist on a GPU: draws, log_prob and their gradients are captured as one CUDA
// graph, which fails where anything waits for the GPU, replayed, and compared with the CPU. Then microseconds
// a replay.
//   tools/build_deep.sh FOLDER dist_on_gpu && FOLDER/bench/deep/dist_on_gpu     (KULLBACK_BENCH=ON)
#include <cstdio>

#ifdef KULLBACK_CUDA
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>

#include <chrono>
#include <exception>

#include "tests/dist/examples.hpp"

namespace {

using namespace kullback::dist;
using at::Tensor;

struct Step {
  Tensor draws;
  Tensor log_probs;
};

std::vector<Tensor> on(const Example& example, at::TensorOptions options) {
  std::vector<Tensor> leaves;
  for (const auto& p : example.parameters) leaves.push_back(p.to(options).clone().requires_grad_());
  return leaves;
}

Step step(const Example& example, const std::vector<Tensor>& leaves) {
  const auto d = example.make(leaves);
  const auto x = d->has_rsample() ? d->rsample({1000}) : d->sample({1000});
  const auto log_probs = d->log_prob(x);
  (d->has_rsample() ? log_probs.sum() + x.sum() : log_probs.sum()).backward();
  return {x.detach(), log_probs.detach()};
}

bool check(const Example& example, at::ScalarType type) {
  const Validation off(false);
  const auto leaves = on(example, at::TensorOptions().device(at::kCUDA).dtype(type));
  const auto stream = c10::cuda::getStreamFromPool();
  at::cuda::CUDAGraph graph;
  Step captured;
  {
    const c10::cuda::CUDAStreamGuard guard(stream);
    for (int i = 0; i < 3; ++i) step(example, leaves);
    stream.synchronize();
    for (const auto& leaf : leaves) leaf.mutable_grad().zero_();
    graph.capture_begin();
    captured = step(example, leaves);
    graph.capture_end();
    graph.replay();
    stream.synchronize();
  }
  const auto first = captured.draws.cpu().clone();
  graph.replay();
  c10::cuda::device_synchronize();
  const auto second = captured.draws.cpu();
  constexpr int kReplays = 100;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kReplays; ++i) graph.replay();
  c10::cuda::device_synchronize();
  const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
  const auto on_cpu =
      example.make(on(example, at::TensorOptions().dtype(type)))->log_prob(captured.draws.cpu()).detach();
  const auto difference =
      ((captured.log_probs.cpu() - on_cpu).abs() / (1 + on_cpu.abs())).max().item<double>();
  bool finite = true;
  for (const auto& leaf : leaves) finite = finite && at::isfinite(leaf.grad()).all().item<bool>();
  const bool good = finite && !at::equal(first, second) && difference < (type == at::kDouble ? 1e-10 : 1e-3);
  std::printf("%-28s %-6s %8.1f us  difference %.1e %s\n", example.name.c_str(), at::toString(type),
              time.count() / kReplays, difference, good ? "" : "WRONG");
  return good;
}

}  // namespace

int main() {
  bool good = true;
  for (const auto type : {at::kFloat, at::kDouble}) {
    for (const auto& example : examples()) {
      try {
        good = check(example, type) && good;
      } catch (const std::exception& e) {
        std::printf("%s: %s\n", example.name.c_str(), e.what());
        return 1;
      }
    }
  }
  return good ? 0 : 1;
}
#else
int main() { std::puts("LibTorch without CUDA: nothing to check"); }
#endif
