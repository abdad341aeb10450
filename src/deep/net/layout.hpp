// All parameters of a model in one flat tensor: where each array of them lies, and the views of a flat
// tensor. A flat tensor is [nets, size]: many nets of one layout are trained and evaluated at once.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace kullback::deep {

enum class Role {
  weight,  // of an affine layer
  bias,
  other,  // of a likelihood or a prior: starts at 0 unless its owner says otherwise
};

struct Slot {
  std::string name;                 // "net.1.weight"
  std::vector<std::int64_t> shape;  // of one net
  Role role = Role::other;
  std::int64_t fan_in = 1;  // numbers that one output of the layer is a sum over
  double gain = 1;          // sd of a fresh weight is gain / sqrt(fan_in)
  std::int64_t first = 0;   // in the flat tensor
  std::int64_t size = 0;
};

class Layout final {
 public:
  // Returns the slot's number. first and size are filled in.
  std::size_t add(Slot slot);

  std::int64_t size() const { return size_; }
  const std::vector<Slot>& slots() const { return slots_; }
  // Throws Error internal where there is none.
  std::size_t find(const std::string& name) const;
  // The slot that holds a coordinate of the flat tensor.
  const Slot& owner(std::int64_t coordinate) const;

 private:
  std::vector<Slot> slots_;
  std::int64_t size_ = 0;
};

// The arrays of a flat tensor: [nets, shape...]. All are cut off at once, so that the gradient of the flat
// tensor is one concatenation and not a sum of as many zero-padded vectors.
class Parameters final {
 public:
  Parameters(const Layout& layout, const torch::Tensor& flat);

  const torch::Tensor& operator[](std::size_t slot) const { return arrays_[slot]; }
  std::int64_t nets() const { return nets_; }

 private:
  std::vector<torch::Tensor> arrays_;
  std::int64_t nets_ = 0;
};

// Fresh parameters, [nets, size]: weights normal with mean 0 and sd gain / sqrt(fan_in), all else 0. Net m of
// any number of nets is the same for one seed. `first` is the number of the first.
torch::Tensor fresh_parameters(const Layout& layout, std::int64_t nets, std::uint64_t seed,
                               const torch::TensorOptions& options, std::int64_t first = 0);

}  // namespace kullback::deep
