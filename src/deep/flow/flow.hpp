// Invertible maps of latent variables with their Jacobian determinants, as functions of tensors. Numbers that
// belong to a row (made by an encoder) come as its context; weights that belong to all rows are slots of a
// layout.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "deep/net/layout.hpp"

namespace kullback::deep {

struct Flowed {
  torch::Tensor z;        // [nets, ..., dim]
  torch::Tensor log_det;  // [nets, ...]: log|det| of the Jacobian of the direction taken
};

// z is [nets, ..., dim]; context [nets, ..., context()] has as many dimensions, of the same sizes or 1.
class FlowLayer {
 public:
  virtual ~FlowLayer() = default;

  virtual std::int64_t context() const = 0;
  virtual Flowed forward(const Parameters& parameters, const torch::Tensor& z,
                         const torch::Tensor& context) const = 0;
  virtual bool has_inverse() const { return false; }
  // Throws Error internal where there is none.
  virtual Flowed inverse(const Parameters& parameters, const torch::Tensor& z,
                         const torch::Tensor& context) const;
};

class Flow final {
 public:
  // own: the context is cut into one part for each layer; shared: all layers see all of it.
  enum class ContextUse { own, shared };
  Flow(std::vector<std::unique_ptr<FlowLayer>> layers, ContextUse use);

  std::int64_t context() const { return context_; }
  Flowed forward(const Parameters& parameters, const torch::Tensor& z, const torch::Tensor& context) const;
  bool has_inverse() const;
  Flowed inverse(const Parameters& parameters, const torch::Tensor& z, const torch::Tensor& context) const;

 private:
  torch::Tensor context_of(std::size_t layer, const torch::Tensor& context) const;

  std::vector<std::unique_ptr<FlowLayer>> layers_;
  ContextUse use_;
  std::int64_t context_ = 0;
};

// All numbers are context: a zero context is the identity (or, of planar layers, its limit).
Flow planar_flow(std::int64_t dim, std::int64_t layers);
Flow radial_flow(std::int64_t dim, std::int64_t layers);
Flow sylvester_flow(std::int64_t dim, std::int64_t layers, std::int64_t reflections);

// Weights are slots whose names begin with `prefix`; a context of 0 is none.
struct NeuralFlowSpec {
  std::int64_t dim = 0;
  std::int64_t layers = 2;
  std::int64_t hidden = 64;
  std::int64_t context = 0;
};
Flow autoregressive_flow(Layout& layout, const std::string& prefix, const NeuralFlowSpec& spec);
// Throws Error usage for fewer than two dimensions.
Flow coupling_flow(Layout& layout, const std::string& prefix, const NeuralFlowSpec& spec);

// A flow whose context belongs to no row: its slot, random and small at first, and the context of it for a z
// of so many dimensions.
std::size_t add_context_slot(Layout& layout, const std::string& name, const Flow& flow);
torch::Tensor context_for_all(const torch::Tensor& slot, std::int64_t dims);

// x -> log(1 + (e - 1) exp(x)) - 1: increasing from the reals onto (-1, inf), 0 at 0.
torch::Tensor above_minus_one(const torch::Tensor& x);

}  // namespace kullback::deep
