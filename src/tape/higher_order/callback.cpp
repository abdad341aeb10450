#include "tape/higher_order/callback.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <stdexcept>

namespace kullback::tape {

namespace {

// Tapes kept for functions with branches; with more, the oldest is dropped.
constexpr std::size_t kMaxVariants = 128;

bool varies(const Ids& ids) { return !std::all_of(ids.begin(), ids.end(), is_constant); }

// The value with its ids replaced one by one.
template <class F>
Value map_ids(Value value, const F& f) {
  if (value.parts) {
    for (Value& part : change_parts(value)) part = map_ids(part, f);
  } else if (value.ids) {
    value.ids = std::make_shared<Ids>(f(*value.ids));
  }
  return value;
}

bool same_bits(double x, double y) {  // 0 and -0 differ, and a NaN is itself
  return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
}

void append_numbers(const Value& value, Ids& ids, Tracer& tracer) {
  if (value.parts) {
    for (const Value& part : *value.parts) append_numbers(part, ids, tracer);
    return;
  }
  const Ids own = tracer.reals(value);
  ids.insert(ids.end(), own.begin(), own.end());
}

}  // namespace

Callback::Callback(const Tracer& tracer, const lang::Function& function)
    : Callback(tracer, function.name, [&function](Tracer& own, std::vector<Value> arguments) {
        return own.call_user(function, std::move(arguments), {});
      }) {}

Callback::Callback(const Tracer& tracer, std::string_view name, Body body)
    : program_(tracer.program()),
      sources_(tracer.sources()),
      options_(tracer.options()),
      name_(name),
      body_(std::move(body)) {}

void Callback::add_input(const math::Type& type, const Dims& dims) {
  Ids ids(product(dims));
  for (Id& id : ids) id = static_cast<Id>(given_++);
  arguments_.push_back(real_container(type, dims, std::move(ids)));
}

void Callback::add(const Builder& outer, const Value& value, bool whole) {
  arguments_.push_back(map_ids(value, [&](const Ids& ids) {
    const bool all = whole && varies(ids);
    Ids own;
    own.reserve(ids.size());
    for (const Id id : ids) {
      if (all || !is_constant(id)) {
        own.push_back(static_cast<Id>(given_ + captured_.size()));
        captured_.push_back(id);
      } else {
        own.push_back(static_cast<Id>(constants_.size()) | kConstantBit);
        constants_.push_back(outer.value(id));
      }
    }
    return own;
  }));
}

std::shared_ptr<const Tape> Callback::trace(const double* inputs) const {
  Builder builder;
  for (std::size_t i = 0; i < input_count(); ++i) builder.add_parameter(inputs[i]);
  Ids constants;
  constants.reserve(constants_.size());
  for (const double number : constants_) constants.push_back(builder.constant(number));
  std::vector<Value> arguments;
  for (const Value& argument : arguments_) {
    arguments.push_back(map_ids(argument, [&](const Ids& ids) {
      Ids own = ids;
      for (Id& id : own) {
        if (is_constant(id)) id = constants[id & ~kConstantBit];
      }
      return own;
    }));
  }
  Tracer tracer(program_, sources_, builder, options_);
  try {
    Ids outputs;
    append_numbers(body_(tracer, std::move(arguments)), outputs, tracer);
    for (const Id id : outputs) builder.add_output(id);
  } catch (const Rejection& rejection) {
    throw std::domain_error(fmt::format("in '{}': {}", name_, rejection.message));
  }
  return compile(std::move(builder));
}

CallbackFunction::CallbackFunction(std::shared_ptr<const Callback> callback, std::shared_ptr<const Tape> tape)
    : callback_(std::move(callback)), output_count_(tape->outputs.size()) {
  variants_.reserve(kMaxVariants);
  variants_.push_back({std::move(tape), nullptr, nullptr});
  const std::size_t lanes = output_count_;
  spread_.resize(callback_->input_count() * lanes);
  outputs_.resize(lanes * lanes);
  seeds_.assign(lanes * lanes, 0.0);
  for (std::size_t i = 0; i < lanes; ++i) seeds_[i * lanes + i] = 1.0;
  held_at_.resize(callback_->input_count());
}

const double* CallbackFunction::spread(const double* x) {
  const std::size_t lanes = output_count_;
  double* to = spread_.data();
  for (const double* end = x + input_count(); x != end; ++x) {
    for (std::size_t k = 0; k < lanes; ++k) *to++ = *x;
  }
  return spread_.data();
}

bool CallbackFunction::runs(Variant& variant, const double* x, bool many) {
  std::unique_ptr<Workspace>& workspace = many ? variant.many : variant.one;
  if (!workspace) workspace = std::make_unique<Workspace>(variant.tape, many ? output_count_ : 1);
  return workspace->forward(many ? spread(x) : x) && workspace->guards_hold(0);
}

CallbackFunction::Variant& CallbackFunction::run(const double* x, bool many) {
  for (std::size_t tried = 0; tried < variants_.size(); ++tried) {
    if (runs(variants_[current_], x, many)) return variants_[current_];
    current_ = (current_ + 1) % variants_.size();
  }
  std::shared_ptr<const Tape> tape = callback_->trace(x);
  if (tape->outputs.size() != output_count_) {
    throw std::domain_error(fmt::format("'{}' returned {} numbers, and {} before.", callback_->name(),
                                        tape->outputs.size(), output_count_));
  }
  if (variants_.size() == kMaxVariants) variants_.erase(variants_.begin());
  variants_.push_back({std::move(tape), nullptr, nullptr});
  current_ = variants_.size() - 1;
  Variant& added = variants_.back();
  if (!runs(added, x, many)) {
    const Workspace& workspace = *(many ? added.many : added.one);
    throw std::domain_error(fmt::format("in '{}': {}", callback_->name(), workspace.message()));
  }
  return added;
}

Workspace& CallbackFunction::at(const double* x, bool many) {
  const bool lanes = many && output_count_ > 1;
  const Variant& current = variants_[current_];
  if (held_ != nullptr && held_ == (lanes ? current.many : current.one).get() &&
      std::equal(held_at_.begin(), held_at_.end(), x, same_bits))
    return *held_;
  held_ = nullptr;  // until the replay has succeeded
  const Variant& variant = run(x, lanes);
  held_ = (lanes ? variant.many : variant.one).get();
  std::copy_n(x, held_at_.size(), held_at_.begin());
  return *held_;
}

void CallbackFunction::differentiate(Workspace& workspace, const double* seeds, double* gradient) {
  held_ = nullptr;  // the way back may write over what it read
  workspace.backward_outputs(seeds, gradient);
}

void CallbackFunction::value(const double* x, double* f) { at(x, false).outputs(f); }

void CallbackFunction::jacobian(const double* x, double* f, double* jacobian) {
  if (output_count_ == 0) return;
  Workspace& workspace = at(x, true);
  workspace.outputs(outputs_.data());
  for (std::size_t i = 0; i < output_count_; ++i) f[i] = outputs_[i * output_count_];
  differentiate(workspace, seeds_.data(), jacobian);
}

void CallbackFunction::pull_back(const double* x, const double* adjoint, double* gradient) {
  differentiate(at(x, false), adjoint, gradient);
}

}  // namespace kullback::tape
