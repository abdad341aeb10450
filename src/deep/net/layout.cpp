#include "deep/net/layout.hpp"

#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "base/random.hpp"
#include "deep/purpose.hpp"

namespace kullback::deep {

std::size_t Layout::add(Slot slot) {
  slot.first = size_;
  slot.size = 1;
  for (const std::int64_t length : slot.shape) slot.size *= length;
  size_ += slot.size;
  slots_.push_back(std::move(slot));
  return slots_.size() - 1;
}

std::size_t Layout::find(const std::string& name) const {
  for (std::size_t i = 0; i < slots_.size(); ++i)
    if (slots_[i].name == name) return i;
  throw Error(ErrorKind::internal, "there are no parameters '" + name + "'.");
}

const Slot& Layout::owner(std::int64_t coordinate) const {
  for (const Slot& slot : slots_)
    if (coordinate < slot.first + slot.size) return slot;
  throw Error(ErrorKind::internal, "a coordinate lies outside the parameters.");
}

Parameters::Parameters(const Layout& layout, const torch::Tensor& flat) : nets_(flat.size(0)) {
  std::vector<std::int64_t> sizes;
  for (const Slot& slot : layout.slots()) sizes.push_back(slot.size);
  arrays_ = flat.split_with_sizes(sizes, 1);
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    std::vector<std::int64_t> shape = {nets_};
    const Slot& slot = layout.slots()[i];
    shape.insert(shape.end(), slot.shape.begin(), slot.shape.end());
    arrays_[i] = arrays_[i].view(shape);
  }
}

torch::Tensor fresh_parameters(const Layout& layout, std::int64_t nets, std::uint64_t seed,
                               const torch::TensorOptions& options, std::int64_t first) {
  torch::Tensor flat = torch::zeros({nets, layout.size()}, torch::kFloat64);
  auto* numbers = flat.data_ptr<double>();
  for (std::int64_t net = 0; net < nets; ++net, numbers += layout.size()) {
    Random random(seed, static_cast<std::uint32_t>(first + net),
                  static_cast<std::uint32_t>(Purpose::fresh_parameters));
    for (const Slot& slot : layout.slots()) {
      if (slot.role != Role::weight) continue;
      const double sd = slot.gain / std::sqrt(static_cast<double>(slot.fan_in));
      for (std::int64_t i = 0; i < slot.size; ++i) numbers[slot.first + i] = sd * random.normal();
    }
  }
  return flat.to(options);
}

}  // namespace kullback::deep
