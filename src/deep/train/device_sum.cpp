// The processes find each other by a store, a small server of the first one, whose address goes around by
// MPI.
#include "deep/train/device_sum.hpp"

#include <fmt/format.h>
#include <torch/version.h>
#include <unistd.h>

#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"

#ifdef KULLBACK_NCCL
#include <c10/cuda/CUDAGuard.h>

#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#endif

namespace kullback::deep {

#ifdef KULLBACK_NCCL

namespace {

std::string host_name() {
  char name[256] = {};
  ::gethostname(name, sizeof name - 1);
  return name;
}

// NCCL would wait for ever, or fail in words of its own.
void check_devices(const Ranks& ranks, const torch::Device& device) {
  const std::string own = fmt::format("{} on {}", static_cast<int>(device.index()), host_name());
  std::string shared;
  if (ranks.is_first()) {
    std::set<std::string> seen = {own};
    for (int rank = 1; rank < ranks.size(); ++rank) {
      const std::string other = ranks.receive(rank);
      if (!seen.insert(other).second) shared = other;
    }
  } else {
    ranks.send(own, 0);
  }
  shared = ranks.broadcast(shared);
  if (shared.empty()) return;
  throw Error(ErrorKind::usage,
              fmt::format("two processes share GPU {}, and gradients cannot be summed there.", shared),
              "Start as many processes as there are GPUs, give --members at least as many, or --device cpu.");
}

bool is_one_machine(const Ranks& ranks) {
  const std::string own = host_name();
  double here = ranks.broadcast(own) == own ? 1 : 0;
  ranks.sum({&here, 1});
  return here == ranks.size();
}

c10::intrusive_ptr<c10d::Store> make_store(const Ranks& ranks) {
  if (ranks.size() == 1) return c10::make_intrusive<c10d::HashStore>();
  c10d::TCPStoreOptions options;
  options.waitWorkers = false;
  options.numWorkers = static_cast<std::size_t>(ranks.size());
  options.isServer = ranks.is_first();
  options.port = 0;  // any that is free
  // Not every machine knows its own name.
  const std::string host = is_one_machine(ranks) ? "127.0.0.1" : host_name();
  c10::intrusive_ptr<c10d::TCPStore> store;
  if (ranks.is_first()) store = c10::make_intrusive<c10d::TCPStore>(host, options);
  const std::string address =
      ranks.broadcast(ranks.is_first() ? fmt::format("{} {}", static_cast<int>(store->getPort()), host) : "");
  if (ranks.is_first()) return store;
  const std::size_t space = address.find(' ');
  options.port = static_cast<std::uint16_t>(std::stoi(address.substr(0, space)));
  return c10::make_intrusive<c10d::TCPStore>(address.substr(space + 1), options);
}

torch::Device with_index(const torch::Device& device) {
  return device.has_index() ? device : torch::Device(torch::kCUDA, c10::cuda::current_device());
}

}  // namespace

struct DeviceSum::Group {
  Group(const Ranks& ranks, const torch::Device& device)
      : nccl(c10::make_intrusive<c10d::ProcessGroupNCCL>(make_store(ranks), ranks.rank(), ranks.size())),
        on(device) {}
  ~Group() {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
    try {
      nccl->shutdown();
    } catch (const std::exception&) {  // the sums are done; nothing is left to tell
    }
#endif
  }

  c10::intrusive_ptr<c10d::ProcessGroupNCCL> nccl;
  torch::Device on;
};

DeviceSum::DeviceSum(const Ranks& ranks, const torch::Device& device) {
  const torch::Device own = with_index(device);
  check_devices(ranks, own);
  group_ = std::make_unique<Group>(ranks, own);
  // The first sum connects the processes, which a capture does not allow.
  torch::Tensor one = torch::ones({1}, torch::TensorOptions().device(own).dtype(torch::kFloat32));
  add_up(one);
  if (one.item<double>() != ranks.size())
    throw Error(ErrorKind::internal,
                fmt::format("NCCL counts {} of {} processes.", one.item<double>(), ranks.size()));
}

void DeviceSum::add_up(torch::Tensor& tensor) {
  const c10::cuda::CUDAGuard guard(group_->on);
  std::vector<torch::Tensor> dense = {tensor.contiguous()};
  group_->nccl->allreduce(dense)->wait();
  if (!dense[0].is_same(tensor)) tensor.copy_(dense[0]);
}

bool DeviceSum::is_built() { return true; }

#else

struct DeviceSum::Group {};

DeviceSum::DeviceSum(const Ranks& ranks, const torch::Device&) {
  throw Error(
      ErrorKind::usage,
      fmt::format("this kullback-deep was built without NCCL, so {} processes cannot sum gradients on GPUs.",
                  ranks.size()),
      "Start one process, give --members at least as many as processes, or --device cpu.");
}

void DeviceSum::add_up(torch::Tensor&) {}

bool DeviceSum::is_built() { return false; }

#endif

DeviceSum::~DeviceSum() = default;

bool DeviceSum::is_capturable() {
  return is_built() && (TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 1));
}

}  // namespace kullback::deep
