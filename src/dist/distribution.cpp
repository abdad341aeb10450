#include "dist/distribution.hpp"

#include <algorithm>
#include <sstream>

#include "base/error.hpp"
#include "dist/shapes.hpp"

namespace kullback::dist {

namespace {

thread_local bool validation_is_on = true;

at::TensorOptions common_options(std::initializer_list<std::pair<at::Tensor*, const Parameter*>> parameters) {
  at::TensorOptions found = at::TensorOptions().dtype(c10::get_default_dtype_as_scalartype());
  for (const auto& [target, parameter] : parameters) {
    const auto& tensor = parameter->tensor();
    if (!tensor.defined()) continue;
    if (at::isFloatingType(tensor.scalar_type())) return tensor.options().requires_grad(false);
    found = found.device(tensor.device());
  }
  return found;
}

// What is outside first, and where: "-1 at [0, 2]".
std::string first_outside(const Constraint& constraint, const Tensor& value, const Tensor& inside) {
  auto found =
      constraint.event_dim() == 0 ? value.expand_as(inside) : value;  // bounds may be wider than values
  const auto position = inside.logical_not().nonzero()[0].to(at::kCPU);
  Shape place;
  for (int64_t i = 0; i < position.size(0); ++i) {
    place.push_back(position[i].item<int64_t>());
    found = found[place.back()];
  }
  constexpr int64_t kShown = 6;
  const auto numbers = found.detach().flatten().to(at::kCPU, at::kDouble);
  std::ostringstream text;
  text << (found.dim() > 0 ? "[" : "");
  for (int64_t i = 0; i < std::min(numbers.size(0), kShown); ++i) {
    text << (i == 0 ? "" : ", ") << numbers[i].item<double>() + 0.0;  // no -0
  }
  text << (numbers.size(0) > kShown ? ", ..." : "") << (found.dim() > 0 ? "]" : "");
  if (!place.empty()) text << " at " << text_of(place);
  return text.str();
}

}  // namespace

void take(std::initializer_list<std::pair<at::Tensor*, const Parameter*>> parameters) {
  const auto options = common_options(parameters);
  for (const auto& [target, parameter] : parameters) {
    const auto& tensor = parameter->tensor();
    if (!tensor.defined()) {
      *target = at::full({}, parameter->number(), options);
    } else {
      *target = at::isFloatingType(tensor.scalar_type()) ? tensor : tensor.to(options);
    }
  }
}

Validation::Validation(bool on) : before_(validation_is_on) { validation_is_on = on; }
Validation::~Validation() { validation_is_on = before_; }
bool Validation::is_on() { return validation_is_on; }

Distribution::Distribution() : validates_(Validation::is_on()) {}

Tensor Distribution::sample(IntArrayRef sample_shape) const {
  const at::NoGradGuard no_gradient;
  return draw(joined(sample_shape, batch_shape_, event_shape_));
}

Tensor Distribution::rsample(IntArrayRef sample_shape) const {
  if (!has_rsample()) {
    refuse("has no rsample: its draws are not differentiable functions of its parameters",
           "use sample() with a score-function estimator, or a relaxed form");
  }
  return draw(joined(sample_shape, batch_shape_, event_shape_));
}

Tensor Distribution::log_prob(const Tensor& value) const {
  check_shape(value);
  if (validates_) require("value", support(), value);
  return log_density(value);
}

Any Distribution::detach() const {
  return map([](const Tensor& t, int64_t) { return t.detach(); });
}

Any Distribution::to(const at::TensorOptions& options) const {
  return map([&](const Tensor& t, int64_t) { return t.to(options); });
}

void Distribution::settle(const std::vector<Slot>& slots, Shape event_shape) {
  Shape batch;
  for (const Slot& slot : slots) {
    if (!slot.tensor->defined()) continue;
    const auto dims = slot.constraint.event_dim();
    if (slot.tensor->dim() < dims) {
      refuse(std::string(slot.name) + " has " + std::to_string(slot.tensor->dim()) +
                 " dimensions; it needs at least " + std::to_string(dims),
             "give a tensor of shape batch + event");
    }
    const auto own = slot.tensor->sizes().slice(0, static_cast<size_t>(slot.tensor->dim() - dims));
    if (!broadcast_into(batch, own)) {
      refuse(std::string(slot.name) + " has batch shape " + text_of(own) +
                 "; the parameters before it have " + text_of(batch),
             "give shapes that broadcast");
    }
  }
  set_shapes(std::move(batch), std::move(event_shape));
  if (!validates_) return;
  for (const Slot& slot : slots) {
    if (slot.tensor->defined()) require(slot.name, slot.constraint, *slot.tensor);
  }
}

void Distribution::check_expansion(IntArrayRef batch_shape) const {
  Shape shape = batch_shape_;
  if (broadcast_into(shape, batch_shape) && IntArrayRef(shape) == batch_shape) return;
  refuse("batch shape " + text_of(batch_shape_) + " does not expand to " + text_of(batch_shape),
         "add dimensions on the left, or enlarge those of size 1");
}

void Distribution::set_shapes(Shape batch_shape, Shape event_shape) {
  batch_shape_ = std::move(batch_shape);
  event_shape_ = std::move(event_shape);
}

Tensor Distribution::over_events(const Tensor& value) const {
  return value.expand(joined(batch_shape_, event_shape_));
}

void Distribution::require(const char* parameter, const Constraint& constraint, const Tensor& value) const {
  const at::NoGradGuard no_gradient;
  const auto inside = constraint.check(value);
  if (inside.all().item<bool>()) return;
  refuse(std::string(parameter) + " must be " + constraint.name() + "; found " +
             first_outside(constraint, value, inside),
         "to work without this check, make the distribution while a Validation(false) lives");
}

void Distribution::check_shape(const Tensor& value) const {
  Shape shape = joined(batch_shape_, event_shape_);
  const auto events = static_cast<int64_t>(event_shape_.size());
  const bool has_event =
      value.dim() >= events &&
      value.sizes().slice(static_cast<size_t>(value.dim() - events)) == IntArrayRef(event_shape_);
  if (has_event && broadcast_into(shape, value.sizes())) return;
  refuse("value has shape " + text_of(value.sizes()) + "; batch shape is " + text_of(batch_shape_) +
             " and event shape " + text_of(event_shape_),
         "give values of shape sample + batch + event");
}

void Distribution::refuse(const std::string& what, const std::string& hint) const {
  throw Error(ErrorKind::bad_input, name() + ": " + what + ".", hint);
}

Tensor Distribution::entropy() const {
  refuse("its entropy has no closed form", "average -log_prob over draws");
}
Tensor Distribution::mean() const { refuse("its mean has no closed form", "average draws"); }
Tensor Distribution::variance() const {
  refuse("its variance has no closed form", "take the variance of draws");
}
Tensor Distribution::mode() const { refuse("its mode has no closed form", "maximise log_prob"); }
Tensor Distribution::cdf(const Tensor&) const {
  refuse("its cdf has no closed form", "count draws below the value");
}
Tensor Distribution::icdf(const Tensor&) const {
  refuse("its quantiles have no closed form", "take quantiles of draws");
}
Tensor Distribution::enumerate_support() const { refuse("its support is not finite", "draw values instead"); }

}  // namespace kullback::dist
