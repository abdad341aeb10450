// Numbers with derivatives to log p and log q of one draw, up to the second order that gradient estimators
// need. A function written for any number type gives them by itself.
#pragma once

#include <cmath>

namespace kullback::infer {

struct Jet {
  double value = 0;
  double p = 0;    // d / d log p
  double q = 0;    // d / d log q
  double q_p = 0;  // d2 / d log q d log p
  double q_q = 0;  // d2 / d log q2

  Jet() = default;
  Jet(double constant) : value(constant) {}  // NOLINT: numbers mix with jets
  Jet(double at, double of_p, double of_q, double of_q_p, double of_q_q)
      : value(at), p(of_p), q(of_q), q_p(of_q_p), q_q(of_q_q) {}

  // g(x) from g, g', g'' at x.value.
  Jet through(double g, double first, double second) const {
    return {g, first * p, first * q, first * q_p + second * q * p, first * q_q + second * q * q};
  }
};

inline Jet operator+(const Jet& a, const Jet& b) {
  return {a.value + b.value, a.p + b.p, a.q + b.q, a.q_p + b.q_p, a.q_q + b.q_q};
}
inline Jet operator-(const Jet& a) { return {-a.value, -a.p, -a.q, -a.q_p, -a.q_q}; }
inline Jet operator-(const Jet& a, const Jet& b) { return a + -b; }
inline Jet operator*(const Jet& a, const Jet& b) {
  return {a.value * b.value, a.p * b.value + a.value * b.p, a.q * b.value + a.value * b.q,
          a.q_p * b.value + a.q * b.p + a.p * b.q + a.value * b.q_p,
          a.q_q * b.value + 2 * a.q * b.q + a.value * b.q_q};
}
inline Jet operator/(const Jet& a, const Jet& b) {
  const double inverse = 1 / b.value;
  return a * b.through(inverse, -inverse * inverse, 2 * inverse * inverse * inverse);
}
inline Jet& operator+=(Jet& a, const Jet& b) { return a = a + b; }
inline Jet& operator-=(Jet& a, const Jet& b) { return a = a - b; }
inline Jet& operator*=(Jet& a, const Jet& b) { return a = a * b; }
inline Jet& operator/=(Jet& a, const Jet& b) { return a = a / b; }
inline bool operator<(const Jet& a, const Jet& b) { return a.value < b.value; }
inline bool operator>(const Jet& a, const Jet& b) { return a.value > b.value; }

inline Jet exp(const Jet& x) {
  const double e = std::exp(x.value);
  return x.through(e, e, e);
}
inline Jet expm1(const Jet& x) {
  const double e = std::exp(x.value);
  return x.through(std::expm1(x.value), e, e);
}
inline Jet log(const Jet& x) {
  const double inverse = 1 / x.value;
  return x.through(std::log(x.value), inverse, -inverse * inverse);
}
inline Jet log1p(const Jet& x) {
  const double inverse = 1 / (1 + x.value);
  return x.through(std::log1p(x.value), inverse, -inverse * inverse);
}
inline Jet sqrt(const Jet& x) {
  const double root = std::sqrt(x.value);
  return x.through(root, 0.5 / root, -0.25 / (root * x.value));
}
inline Jet pow(const Jet& x, double power) {
  const double first = power * std::pow(x.value, power - 1);
  return x.through(std::pow(x.value, power), first, power * (power - 1) * std::pow(x.value, power - 2));
}
inline Jet tanh(const Jet& x) {
  const double t = std::tanh(x.value);
  return x.through(t, 1 - t * t, -2 * t * (1 - t * t));
}

}  // namespace kullback::infer
