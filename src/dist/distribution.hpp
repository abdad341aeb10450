// A probability distribution over tensors. It does not change once made; copies are cheap and share its
// tensors.
//
// Shapes are those of Python's torch.distributions: a draw has shape sample_shape + batch_shape +
// event_shape, and log_prob gives one number for each event. Parameters broadcast against each other to the
// batch shape.
#pragma once

#include <torch/types.h>

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dist/constraint.hpp"
#include "dist/parameter.hpp"

namespace kullback::dist {

using Shape = std::vector<int64_t>;

class Any;

// A new value for a tensor of a distribution; `event_dims` of its dimensions on the right are not batch.
using TensorMap = std::function<Tensor(const Tensor&, int64_t event_dims)>;

class Distribution {
 public:
  virtual ~Distribution() = default;

  virtual std::string name() const = 0;
  const Shape& batch_shape() const { return batch_shape_; }
  const Shape& event_shape() const { return event_shape_; }
  virtual Constraint support() const = 0;

  // Draws without a gradient.
  Tensor sample(IntArrayRef sample_shape = {}) const;
  // Draws that are differentiable functions of the parameters. An Error where there is no such function.
  Tensor rsample(IntArrayRef sample_shape = {}) const;
  virtual bool has_rsample() const = 0;

  // The log density or log probability of each event.
  Tensor log_prob(const Tensor& value) const;

  // What has no closed form is an Error that says so. Moments that do not exist are NaN or infinite.
  virtual Tensor entropy() const;
  virtual Tensor mean() const;
  virtual Tensor variance() const;
  virtual Tensor mode() const;
  virtual Tensor cdf(const Tensor& value) const;
  virtual Tensor icdf(const Tensor& probability) const;
  // All values, along a new first dimension.
  virtual Tensor enumerate_support() const;
  Tensor stddev() const { return variance().sqrt(); }

  // The same distribution with another batch shape that this one's broadcasts to.
  virtual Any expand(IntArrayRef batch_shape) const = 0;
  // Every tensor replaced by its image.
  virtual Any map(const TensorMap& f) const = 0;
  // The same numbers, without a gradient to them.
  Any detach() const;
  Any to(const at::TensorOptions& options) const;

  // Whether parameters and values are checked (see Validation). A check waits for a GPU.
  bool validates() const { return validates_; }

 protected:
  struct Slot {
    const char* name;
    Tensor* tensor;
    Constraint constraint;  // its event_dim tells the dimensions that are not batch
  };

  Distribution();
  Distribution(const Distribution&) = default;
  Distribution(Distribution&&) = default;
  Distribution& operator=(const Distribution&) = default;
  Distribution& operator=(Distribution&&) = default;

  // `shape` is the whole shape of the result.
  virtual Tensor draw(IntArrayRef shape) const = 0;
  virtual Tensor log_density(const Tensor& value) const = 0;

  // Finds the batch shape of the parameters and checks them.
  void settle(const std::vector<Slot>& slots, Shape event_shape = {});
  void check_expansion(IntArrayRef batch_shape) const;
  void set_shapes(Shape batch_shape, Shape event_shape);
  void set_validates(bool on) { validates_ = on; }
  void require(const char* parameter, const Constraint& constraint, const Tensor& value) const;
  Tensor over_batch(const Tensor& one_per_batch) const { return one_per_batch.expand(batch_shape_); }
  Tensor over_events(const Tensor& value) const;
  [[noreturn]] void refuse(const std::string& what, const std::string& hint) const;

 private:
  void check_shape(const Tensor& value) const;

  Shape batch_shape_;
  Shape event_shape_;
  bool validates_;
};

// Any distribution, as a value.
class Any final {
 public:
  template <std::derived_from<Distribution> D>
  Any(D distribution)  // NOLINT: every distribution is one of any kind
      : held_(std::make_shared<const D>(std::move(distribution))) {}

  const Distribution& operator*() const { return *held_; }
  const Distribution* operator->() const { return held_.get(); }
  // The distribution as its own type, or null.
  template <std::derived_from<Distribution> D>
  const D* as() const {
    return dynamic_cast<const D*>(held_.get());
  }

 private:
  std::shared_ptr<const Distribution> held_;
};

// While one lives on this thread, distributions made on it check their parameters and values, or do not.
class Validation final {
 public:
  explicit Validation(bool on);
  ~Validation();
  Validation(const Validation&) = delete;
  Validation& operator=(const Validation&) = delete;
  static bool is_on();  // it is, unless switched off

 private:
  bool before_;
};

// What families of tensors share: Self has `slots()`, its parameters. A slot of an undefined tensor is empty.
template <class Self>
class Family : public Distribution {
 public:
  std::string name() const override { return Self::kName; }

  Any expand(IntArrayRef batch_shape) const override {
    check_expansion(batch_shape);
    Self result = static_cast<const Self&>(*this);
    result.replace(
        [&](const Tensor& t, int64_t event_dims) { return expand_batch(t, batch_shape, event_dims); });
    result.set_shapes(batch_shape.vec(), event_shape());
    return result;
  }

  Any map(const TensorMap& f) const override {
    Self result = static_cast<const Self&>(*this);
    result.replace(f);
    return result;
  }

 protected:
  void replace(const TensorMap& f) {
    for (const Slot& slot : static_cast<Self&>(*this).slots()) {
      if (slot.tensor->defined()) *slot.tensor = f(*slot.tensor, slot.constraint.event_dim());
    }
  }

 private:
  static Tensor expand_batch(const Tensor& tensor, IntArrayRef batch_shape, int64_t event_dims) {
    Shape shape = batch_shape.vec();
    const auto event = tensor.sizes().slice(static_cast<size_t>(tensor.dim() - event_dims));
    shape.insert(shape.end(), event.begin(), event.end());
    return tensor.expand(shape);
  }
};

}  // namespace kullback::dist
