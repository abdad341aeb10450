// Makes the kernels of an elementwise function from a functor. Private to math/functions/*.cpp and
// elementwise*.cpp.
//
// A functor is a struct with
//   value        static double value(double x, ...)
//   partials     static void partials(double x, ..., double value, double* d): d[j] = derivative in argument
//   j.
//                With a last parameter `unsigned wanted`, only the d[j] with bit j set are needed: for
//                functions whose derivative in one argument costs much more than in another.
//   kVectorized  (optional) true: value and partials are KULLBACK_INLINE and free of calls; their loops are
//                compiled for every instruction set.
//   kSeparable   (optional) true: the partials share no work, so that each has a loop of its own.
//   kFromValue   (optional) true: the partials do not depend on x, given the value; backward, x is not
//   gathered.
// Then KULLBACK_KERNELS(Functor) once, in namespace kullback::math::functions, and a line in elementwise.def.
//
// The functor's part is two loops over contiguous arrays, below. The rest (lanes, constants, broadcast and
// gathered arguments) is done once for all functions, in elementwise_driver.cpp.
#pragma once

#include <cstddef>
#include <utility>

#include "math/elementwise.hpp"
#include "math/instruction_set.hpp"

namespace kullback::math::functions {

inline constexpr std::size_t kMaxArity = 3;

// n positions, at which everything is an array.
struct ChunkCall {
  std::size_t n;
  const double* x[kMaxArity];
  double* result;  // forward only
  // Backward only. products[j][p] = before[j][p] + adjoint[p] * partial j, for the wanted j, where the
  // functor has one argument or is separable; otherwise products[j][p] = adjoint[p] * partial j for all j.
  // products[j] may be before[j].
  const double* value;
  const double* adjoint;
  unsigned wanted;
  const double* before[kMaxArity];
  double* products[kMaxArity];
};

using ChunkKernel = void (*)(const ChunkCall&);

void drive_forward(const ElementwiseCall& call, std::size_t arity, ChunkKernel kernel);
struct BackwardKernel {
  ChunkKernel run = nullptr;
  bool adds = false;  // before + products, else products
  bool reads = true;  // the arguments
};
void drive_backward(const ElementwiseCall& call, std::size_t arity, const BackwardKernel& kernel);

struct Kernels {
  int arity = 1;
  double (*value)(const double* x) = nullptr;
  void (*partials)(const double* x, double value, double* d) = nullptr;
  void (*forward)(const ElementwiseCall& call) = nullptr;
  void (*backward)(const ElementwiseCall& call) = nullptr;
};

template <class F>
Kernels kernels_of();

// Explicitly instantiates the kernels in the functor's file; elementwise.cpp does not see the functor.
#define KULLBACK_KERNELS(Functor) template Kernels kernels_of<Functor>();

namespace detail {

template <class... Arguments>
constexpr std::size_t count_arguments(double (*)(Arguments...)) {
  return sizeof...(Arguments);
}
template <class F>
inline constexpr std::size_t kArity = count_arguments(&F::value);

template <class F>
concept Vectorized = F::kVectorized;
template <class F>
concept FromValue = F::kFromValue;
template <class F>
concept Adds = kArity<F> == 1 || F::kSeparable;

template <class F, std::size_t... J>
KULLBACK_INLINE void derive(const double* x, double value, double* d, [[maybe_unused]] unsigned wanted,
                            std::index_sequence<J...>) {
  if constexpr (requires { F::partials(x[J]..., value, d, wanted); }) {
    F::partials(x[J]..., value, d, wanted);
  } else {
    F::partials(x[J]..., value, d);
  }
}

template <class F>
struct Values {
  KULLBACK_INLINE static void run(const ChunkCall& call) {
    loop(call, std::make_index_sequence<kArity<F>>{});
  }

 private:
  template <std::size_t... J>
  KULLBACK_INLINE static void loop(const ChunkCall& call, std::index_sequence<J...>) {
    const double* const x[] = {call.x[J]...};
    double* result = call.result;
    const std::size_t n = call.n;
    KULLBACK_INDEPENDENT_LOOP
    for (std::size_t p = 0; p < n; ++p) result[p] = F::value(x[J][p]...);
  }
};

template <class F>
struct Products {
  KULLBACK_INLINE static void run(const ChunkCall& call) {
    constexpr auto kAll = std::make_index_sequence<kArity<F>>{};
    if constexpr (Adds<F>) {
      each(call, kAll);
    } else {
      together(call, kAll);
    }
  }

 private:
  template <std::size_t... J>
  KULLBACK_INLINE static void each(const ChunkCall& call, std::index_sequence<J...> all) {
    (((call.wanted >> J & 1U) != 0 ? one<J>(call, all) : void()), ...);
  }

  template <std::size_t K, std::size_t... J>
  KULLBACK_INLINE static void one(const ChunkCall& call, std::index_sequence<J...> all) {
    const double* const x[] = {call.x[J]...};
    const double* value = call.value;
    const double* adjoint = call.adjoint;
    const double* before = call.before[K];
    double* products = call.products[K];
    const std::size_t n = call.n;
    KULLBACK_INDEPENDENT_LOOP
    for (std::size_t p = 0; p < n; ++p) {
      const double at[] = {x[J][p]...};
      double d[sizeof...(J)];
      derive<F>(at, value[p], d, 1U << K, all);
      products[p] = before[p] + adjoint[p] * d[K];
    }
  }

  template <std::size_t... J>
  KULLBACK_INLINE static void together(const ChunkCall& call, std::index_sequence<J...> all) {
    const double* const x[] = {call.x[J]...};
    const double* value = call.value;
    const double* adjoint = call.adjoint;
    double* const products[] = {call.products[J]...};
    const unsigned wanted = call.wanted;
    const std::size_t n = call.n;
    KULLBACK_INDEPENDENT_LOOP
    for (std::size_t p = 0; p < n; ++p) {
      const double at[] = {x[J][p]...};
      double d[sizeof...(J)];
      derive<F>(at, value[p], d, wanted, all);
      ((products[J][p] = adjoint[p] * d[J]), ...);
    }
  }
};

template <class Body, bool kDispatched>
constexpr ChunkKernel choose() {
  if constexpr (kDispatched) {
    return &dispatch<Body, ChunkCall>;
  } else {
    return &run_baseline<Body, ChunkCall>;
  }
}

template <class F, std::size_t... J>
double value_of(const double* x, std::index_sequence<J...>) {
  return F::value(x[J]...);
}

}  // namespace detail

template <class F>
Kernels kernels_of() {
  constexpr std::size_t kArity = detail::kArity<F>;
  static_assert(kArity <= kMaxArity);
  Kernels kernels;
  kernels.arity = static_cast<int>(kArity);
  kernels.value = [](const double* x) { return detail::value_of<F>(x, std::make_index_sequence<kArity>{}); };
  kernels.partials = [](const double* x, double value, double* d) {
    detail::derive<F>(x, value, d, (1U << kArity) - 1U, std::make_index_sequence<kArity>{});
  };
  kernels.forward = [](const ElementwiseCall& call) {
    drive_forward(call, kArity, detail::choose<detail::Values<F>, detail::Vectorized<F>>());
  };
  kernels.backward = [](const ElementwiseCall& call) {
    drive_backward(call, kArity,
                   {detail::choose<detail::Products<F>, detail::Vectorized<F>>(), detail::Adds<F>,
                    !detail::FromValue<F>});
  };
  return kernels;
}

}  // namespace kullback::math::functions
