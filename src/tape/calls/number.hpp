// One number on the tape with its arithmetic, so that a formula is recorded the way it is written. Gradients
// come from the elementwise functions it is made of; constants fold.
#pragma once

#include <array>
#include <string_view>

#include "tape/record/builder.hpp"

namespace kullback::tape {

class Number final {
 public:
  Number(Builder& builder, Id id) : builder_(&builder), id_(id) {}
  Number(Builder& builder, double value) : Number(builder, builder.constant(value)) {}

  Id id() const { return id_; }
  double value() const { return builder_->value(id_); }
  Number like(double value) const { return {*builder_, value}; }  // a constant of the same tape
  bool is_constant() const { return tape::is_constant(id_); }
  bool is_zero() const { return is_constant() && value() == 0; }

  Number apply(std::string_view function) const {
    return {*builder_, builder_->elementwise(*math::find_elementwise(function), std::array<Id, 1>{id_})};
  }
  Number apply(std::string_view function, Number other) const {
    return {*builder_,
            builder_->elementwise(*math::find_elementwise(function), std::array<Id, 2>{id_, other.id_})};
  }

 private:
  Builder* builder_;
  Id id_;
};

inline Number operator+(Number a, Number b) {
  if (a.is_zero()) return b;
  return b.is_zero() ? a : a.apply("add", b);
}
inline Number operator-(Number a) { return a.apply("minus"); }
inline Number operator-(Number a, Number b) { return b.is_zero() ? a : a.apply("subtract", b); }
inline Number operator*(Number a, Number b) { return a.apply("multiply", b); }
inline Number operator/(Number a, Number b) { return a.apply("divide", b); }
inline Number operator+(Number a, double b) { return a + a.like(b); }
inline Number operator-(Number a, double b) { return a - a.like(b); }
inline Number operator*(Number a, double b) { return b == 1 ? a : a * a.like(b); }
inline Number operator/(Number a, double b) { return a / a.like(b); }
inline Number operator+(double a, Number b) { return b.like(a) + b; }
inline Number operator-(double a, Number b) { return b.like(a) - b; }
inline Number operator*(double a, Number b) { return b * a; }
inline Number operator/(double a, Number b) { return b.like(a) / b; }
inline Number exp(Number a) { return a.apply("exp"); }
inline Number log(Number a) { return a.apply("log"); }
inline Number sqrt(Number a) { return a.apply("sqrt"); }
inline Number atanh(Number a) { return a.apply("atanh"); }
inline Number logit(Number a) { return a.apply("logit"); }

}  // namespace kullback::tape
