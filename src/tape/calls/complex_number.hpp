// One complex number on the tape and its functions. With z = a + ib, |z| = hypot(a, b):
//   sqrt: t = sqrt((|z| + |a|) / 2); (t, b / 2t) where a >= 0, (|b| / 2t, sign(b) t) where a < 0: no
//   cancellation; tanh z = (t (1 + u^2) + i u (1 - t^2)) / (1 + t^2 u^2) with t = tanh a, u = tan b: no
//   overflow; inverse functions by Kahan (1987), "Branch cuts for complex elementary functions".
// Which side of a branch a number is on is fixed by guards of the tape.
#pragma once

#include <cmath>
#include <numbers>

#include "tape/calls/number.hpp"

namespace kullback::tape {

struct Complex {
  Number re;
  Number im;

  bool is_real() const { return im.is_zero(); }
};

inline Complex operator+(const Complex& z, const Complex& w) { return {z.re + w.re, z.im + w.im}; }
inline Complex operator-(const Complex& z, const Complex& w) { return {z.re - w.re, z.im - w.im}; }
inline Complex operator-(const Complex& z) { return {-z.re, -z.im}; }
inline Complex conj(const Complex& z) { return {z.re, -z.im}; }
inline Complex times_i(const Complex& z) { return {-z.im, z.re}; }
inline Complex times_minus_i(const Complex& z) { return {z.im, -z.re}; }
inline Complex operator*(const Complex& z, Number x) { return {z.re * x, z.im * x}; }
inline Complex operator*(const Complex& z, const Complex& w) {
  if (w.is_real()) return z * w.re;
  if (z.is_real()) return w * z.re;
  return {z.re * w.re - z.im * w.im, z.re * w.im + z.im * w.re};
}
inline Number norm(const Complex& z) { return z.re * z.re + z.im * z.im; }
inline Number abs(const Complex& z) { return z.is_real() ? z.re.apply("abs") : z.re.apply("hypot", z.im); }
inline Number arg(const Complex& z) { return z.im.apply("atan2", z.re); }
inline Complex operator/(const Complex& z, const Complex& w) {
  if (w.is_real()) return {z.re / w.re, z.im / w.re};
  const Number size = norm(w);
  return {(z.re * w.re + z.im * w.im) / size, (z.im * w.re - z.re * w.im) / size};
}

inline Complex polar(Number r, Number angle) { return {r * angle.apply("cos"), r * angle.apply("sin")}; }
inline Complex exp(const Complex& z) { return polar(exp(z.re), z.im); }
inline Complex log(const Complex& z) { return {log(abs(z)), arg(z)}; }

inline bool is_negative(Builder& builder, Number x) {
  return builder.compare(Guard::Relation::less, x.id(), builder.constant(0));
}

inline Complex sqrt(Builder& builder, const Complex& z) {
  const Number size = abs(z);
  if (builder.compare(Guard::Relation::equal, size.id(), builder.constant(0))) return z;
  const bool left = is_negative(builder, z.re);
  const Number t = sqrt((left ? size - z.re : size + z.re) * 0.5);
  if (!left) return {t, z.im / (t * 2)};
  const bool below = is_negative(builder, z.im) || (z.im.value() == 0 && std::signbit(z.im.value()));
  return {(below ? -z.im : z.im) / (t * 2), below ? -t : t};
}

inline bool is_zero_now(Builder& builder, const Complex& z) {
  return builder.compare(Guard::Relation::equal, norm(z).id(), builder.constant(0));
}

// z^w = exp(w log z); 0^w = 0, as std::pow has it for w with a positive real part; small whole powers are
// products.
inline Complex pow(Builder& builder, const Complex& z, const Complex& w) {
  if (w.is_real() && w.re.is_constant()) {
    if (w.re.value() == 1) return z;
    if (w.re.value() == 2) return z * z;
    if (w.re.value() == 0) return {z.re.like(1), z.re.like(0)};
  }
  if (is_zero_now(builder, z)) return {z.re.like(0), z.re.like(0)};
  return exp(w * log(z));
}

inline Complex sin(const Complex& z) {
  return {z.re.apply("sin") * z.im.apply("cosh"), z.re.apply("cos") * z.im.apply("sinh")};
}
inline Complex cos(const Complex& z) {
  return {z.re.apply("cos") * z.im.apply("cosh"), -(z.re.apply("sin") * z.im.apply("sinh"))};
}
inline Complex tanh(const Complex& z) {
  const Number t = z.re.apply("tanh");
  const Number u = z.im.apply("tan");
  const Number tu = t * u;
  const Number below = 1.0 + tu * tu;
  const Number sech = 1.0 / z.re.apply("cosh");
  return {t * (1.0 + u * u) / below, u * (sech * sech) / below};
}
inline Complex sinh(const Complex& z) { return times_minus_i(sin(times_i(z))); }
inline Complex cosh(const Complex& z) { return cos(times_i(z)); }
inline Complex tan(const Complex& z) { return times_minus_i(tanh(times_i(z))); }

inline Complex one_plus(const Complex& z) { return {1.0 + z.re, z.im}; }
inline Complex one_minus(const Complex& z) { return {1.0 - z.re, -z.im}; }
inline Complex minus_one(const Complex& z) { return {z.re - 1.0, z.im}; }

inline Complex asin(Builder& builder, const Complex& z) {
  const Complex above = sqrt(builder, one_plus(z));
  const Complex below = sqrt(builder, one_minus(z));
  return {z.re.apply("atan2", (above * below).re), (conj(below) * above).im.apply("asinh")};
}
inline Complex acos(Builder& builder, const Complex& z) {
  const Complex above = sqrt(builder, one_plus(z));
  const Complex below = sqrt(builder, one_minus(z));
  return {below.re.apply("atan2", above.re) * 2, (conj(above) * below).im.apply("asinh")};
}
inline Complex acosh(Builder& builder, const Complex& z) {
  const Complex above = sqrt(builder, one_plus(z));
  const Complex below = sqrt(builder, minus_one(z));
  return {(conj(below) * above).re.apply("asinh"), below.im.apply("atan2", above.re) * 2};
}
inline Complex atanh(const Complex& z) {
  const Number from_one = 1.0 - z.re;
  const Number y2 = z.im * z.im;
  const Number size = (z.re * 4) / (from_one * from_one + y2);
  const Number angle = (z.im * 2).apply("atan2", from_one * (1.0 + z.re) - y2);
  return {size.apply("log1p") * 0.25, angle * 0.5};
}
inline Complex asinh(Builder& builder, const Complex& z) { return times_minus_i(asin(builder, times_i(z))); }
inline Complex atan(const Complex& z) { return times_minus_i(atanh(times_i(z))); }

}  // namespace kullback::tape
