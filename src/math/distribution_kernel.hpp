// How a distribution is written. Private to math/distributions/*.cpp and distribution.cpp.
//
// A family is a struct with
//   kArguments   ArgumentDef[]: the variate first
//   Density      the log density (or mass): a function, see below
//   LogCdf, LogCcdf (optional) functions of the same arguments
//   kCdfVariate  (optional) the domain of the variate in LogCdf and LogCcdf, where Stan's differs
//   relation     (optional) const char* relation(const double* arguments): what is wrong with arguments that
//                are each in their domain ("upper bound must be greater than lower bound"), or null
//   random       (optional) double random(Random&, const double* parameters)
//
// A function is a struct with
//   Prepared     std::tuple of one type for each argument: what is computed once for a value that serves many
//                elements (a logarithm, a reciprocal, lgamma). Each type has a default constructor and one
//                from (double value, const Terms&); Plain keeps the value as it is. A constant term that
//                terms drop is best left out there. Where that constructor is free of branches, for
//                vectorised loops, a static once(value, terms) may do the same with branches.
//   Joint        (optional) what is computed once for the values of all parameters together, such as
//                lgamma(alpha + beta); constructed from (const Prepared_1&, ..., const Terms&); evaluate
//                has it after the parameters.
//   evaluate     double evaluate(const Prepared_0&, ..., const Terms& terms, double* d): the value for one
//                element; where d is not null, d[j] = the derivative in argument j, at least for all j with
//                terms.varies(j). All arguments are in their domains; the support of the variate is checked
//                here (outside: return kNegativeInfinity). May not throw.
//   kFastRows    (optional) unsigned[]: where evaluate is KULLBACK_INLINE and free of calls, sets of
//                arguments that come as arrays (bit j: argument j) for which a vectorised loop is compiled;
//                from small to large. What none of them covers runs through the general loop.
//   kTermsCases  (optional) Terms[]: the usual terms, for each of which the vectorised loops are compiled
//                anew, so that an `if (terms.keep(...))` around something costly is decided before the loop.
//
// Then, at the end of the file:
//   constinit const Distribution distributions::normal = describe_distribution<Normal>("normal");
#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

#include "math/distribution.hpp"
#include "math/instruction_set.hpp"
#include "math/vector_math.hpp"

#if defined(__clang__)
#define KULLBACK_INDEPENDENT_LOOP _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define KULLBACK_INDEPENDENT_LOOP _Pragma("GCC ivdep")
#else
#define KULLBACK_INDEPENDENT_LOOP
#endif

namespace kullback::math {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNegativeInfinity = -kInfinity;
inline constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

struct Plain {
  double value = 0;
  Plain() = default;
  KULLBACK_INLINE Plain(double x, const Terms&) : value(x) {}
  KULLBACK_INLINE operator double() const { return value; }
};

// keep ? x : 0, where a conditional on what does not change in a loop would keep it from being vectorised.
KULLBACK_INLINE double kept(bool keep, double x) {
  const std::uint64_t mask = 0U - static_cast<std::uint64_t>(keep);
  return __builtin_bit_cast(double, __builtin_bit_cast(std::uint64_t, x) & mask);
}
// fast::log for 0 < x <= infinity, anything for other x.
KULLBACK_INLINE double log_of_positive(double x) {
  const bool is_denormal = x < 0x1p-1022;
  const fast::detail::Split parts = fast::detail::split(is_denormal ? x * 0x1p54 : x);
  const double result = fast::detail::combine(parts.exponent - (is_denormal ? 54.0 : 0.0), parts.f, 0.0);
  return x < kInfinity ? result : x;
}

namespace kernel {

KULLBACK_INLINE constexpr bool is_finite(double x) { return x - x == 0; }
// Adding 1.5 * 2^52 rounds to an integer: without std::floor, which SSE2 cannot vectorise. Stan's ints are
// small.
KULLBACK_INLINE constexpr bool is_integer(double x) {
  constexpr double kRounder = 6755399441055744.0;
  return ((x + kRounder) - kRounder == x) & (x < 0x1p51) & (x > -0x1p51);
}

// math::contains, for a domain known to the compiler, without branches.
template <Domain domain>
KULLBACK_INLINE bool is_inside(double x) {
  switch (domain) {
    case Domain::any: return x == x;
    case Domain::finite: return is_finite(x);
    case Domain::positive: return x > 0;
    case Domain::positive_finite: return (x > 0) & (x < kInfinity);
    case Domain::nonnegative: return x >= 0;
    case Domain::nonnegative_finite: return (x >= 0) & (x < kInfinity);
    case Domain::probability: return (x >= 0) & (x <= 1);
    case Domain::open_probability: return (x > 0) & (x < 1);
    case Domain::integer: return is_integer(x);
    case Domain::nonnegative_integer: return (x >= 0) & is_integer(x);
    case Domain::positive_integer: return (x >= 1) & is_integer(x);
    case Domain::correlation: return (x >= -1) & (x <= 1);
  }
  return false;
}

// A stretch of elements (or of lanes): each argument is an array, or one prepared value for all.
struct Row {
  std::size_t size = 0;
  const double* const* arrays = nullptr;  // for each argument; null: the prepared value
  const void* prepared = nullptr;         // the function's Prepared
  Terms terms;
  double* value = nullptr;            // size of them
  double* const* partials = nullptr;  // for each argument, room for size numbers; null: not wanted
};

struct FastRow {
  unsigned arrays = 0;  // bit j: argument j must be an array, otherwise it must not be one
  void (*run)(const Row& row) = nullptr;
};

// A function, as the loops that are common to all see it.
struct Kernel {
  std::size_t arity = 0;
  unsigned plain = 0;  // bit j: argument j needs no preparation
  std::size_t prepared_size = 0;
  bool (*is_inside)(std::size_t argument, double x) = nullptr;
  void (*prepare)(std::size_t argument, double x, const Terms& terms, void* prepared) = nullptr;
  void (*run)(const Row& row) = nullptr;  // any combination; partials may be null
  std::span<const FastRow> fast_rows;     // partials may not be null
};

inline constexpr std::size_t kMaxArity = 8;
inline constexpr std::size_t kLaneChunk = 8;
inline constexpr std::size_t kBlock = 128;  // elements of a row, at most

// `prepared`: room for kLaneChunk of the function's Prepared.
void run_batch(const Kernel& kernel, const DensityCall& call, void* prepared);

// ---- One function F of a family: Variate is the domain of its variate. ----
template <class Family, class F, Domain variate>
struct Function {
  static constexpr std::size_t kArity = std::size(Family::kArguments);
  static_assert(kArity == std::tuple_size_v<typename F::Prepared> && kArity <= kMaxArity);
  using Prepared = typename F::Prepared;
  using Arguments = std::make_index_sequence<kArity>;
  template <std::size_t J>
  using PreparedAt = std::tuple_element_t<J, Prepared>;

  struct NoJoint {};
  static constexpr auto joint_type() {
    if constexpr (requires { typename F::Joint; }) {
      return std::type_identity<typename F::Joint>{};
    } else {
      return std::type_identity<NoJoint>{};
    }
  }
  using Joint = typename decltype(joint_type())::type;
  static constexpr bool kHasJoint = !std::same_as<Joint, NoJoint>;

  template <class Variate, class... Parameters>
  KULLBACK_INLINE static Joint join(const Terms& terms, const Variate&, const Parameters&... parameters) {
    if constexpr (kHasJoint) return Joint(parameters..., terms);
    return {};
  }
  template <class... Arguments>
  KULLBACK_INLINE static double evaluate(const Joint& joint, const Terms& terms, double* d,
                                         const Arguments&... arguments) {
    if constexpr (kHasJoint) {
      return F::evaluate(arguments..., joint, terms, d);
    } else {
      return F::evaluate(arguments..., terms, d);
    }
  }

  template <std::size_t J>
  static PreparedAt<J> prepare_one(double x, const Terms& terms) {
    if constexpr (requires { PreparedAt<J>::once(x, terms); }) return PreparedAt<J>::once(x, terms);
    return PreparedAt<J>(x, terms);
  }

  template <std::size_t J>
  static constexpr Domain domain() {
    return J == 0 ? variate : Family::kArguments[J].domain;
  }

  // -- one element --
  template <std::size_t... J>
  static double value_of(const double* x, const Terms& terms, double* d, std::index_sequence<J...>) {
    if (!(is_inside<domain<J>()>(x[J]) && ...)) {
      if (d != nullptr) ((d[J] = kNotANumber), ...);
      return kNotANumber;
    }
    const Prepared prepared{prepare_one<J>(x[J], terms)...};
    return evaluate(join(terms, std::get<J>(prepared)...), terms, d, std::get<J>(prepared)...);
  }
  static double value(const double* x, Terms terms, double* d) { return value_of(x, terms, d, Arguments{}); }

  // -- the general loop: which arguments are arrays is asked for each element --
  template <std::size_t J>
  static bool is_inside_at(const Row& row, std::size_t i) {
    return row.arrays[J] == nullptr || is_inside<domain<J>()>(row.arrays[J][i]);
  }
  template <std::size_t J>
  static PreparedAt<J> prepared_at(const Row& row, std::size_t i) {
    if (row.arrays[J] == nullptr) return std::get<J>(*static_cast<const Prepared*>(row.prepared));
    return prepare_one<J>(row.arrays[J][i], row.terms);
  }
  template <std::size_t... J>
  static void run_of(const Row& row, std::index_sequence<J...>) {
    const bool is_shared = ((J == 0 || row.arrays[J] == nullptr) && ...);
    Joint joint =
        is_shared ? join(row.terms, std::get<J>(*static_cast<const Prepared*>(row.prepared))...) : Joint{};
    for (std::size_t i = 0; i < row.size; ++i) {
      double d[kArity] = {};
      if ((is_inside_at<J>(row, i) && ...)) {
        const Prepared prepared{prepared_at<J>(row, i)...};
        if (!is_shared) joint = join(row.terms, std::get<J>(prepared)...);
        row.value[i] =
            evaluate(joint, row.terms, row.partials != nullptr ? d : nullptr, std::get<J>(prepared)...);
      } else {
        row.value[i] = kNotANumber;
        ((d[J] = kNotANumber), ...);
      }
      if (row.partials != nullptr) ((row.partials[J][i] = d[J]), ...);
    }
  }
  static void run(const Row& row) { run_of(row, Arguments{}); }

  // -- the vectorised loop for one set of arrays --
  template <unsigned arrays>
  struct Fast {
    template <std::size_t J>
    static constexpr bool kIsArray = (arrays >> J & 1U) != 0;

    template <std::size_t J>
    KULLBACK_INLINE static double guard(double value, const double* x, std::size_t i) {
      if constexpr (kIsArray<J>) return is_inside<domain<J>()>(x[i]) ? value : kNotANumber;
      return value;
    }
    template <std::size_t J>
    KULLBACK_INLINE static PreparedAt<J> prepared_at(const PreparedAt<J>& prepared, const double* x,
                                                     std::size_t i, const Terms& terms) {
      if constexpr (kIsArray<J>) return PreparedAt<J>(x[i], terms);
      return prepared;
    }
    template <std::size_t... J>
    KULLBACK_INLINE static void run_of(const Row& row, const Terms terms, std::index_sequence<J...>) {
      const Prepared prepared = *static_cast<const Prepared*>(row.prepared);
      const std::size_t size = row.size;
      const double* const x[] = {row.arrays[J]...};
      double* const partials[] = {row.partials[J]...};
      double* const value = row.value;
      constexpr bool is_shared = (arrays & ~1U) == 0;
      const Joint joint = is_shared ? join(terms, std::get<J>(prepared)...) : Joint{};
      KULLBACK_INDEPENDENT_LOOP
      for (std::size_t i = 0; i < size; ++i) {
        double d[kArity];
        double v;
        if constexpr (is_shared || !kHasJoint) {
          v = evaluate(joint, terms, d, prepared_at<J>(std::get<J>(prepared), x[J], i, terms)...);
        } else {
          const Prepared own{prepared_at<J>(std::get<J>(prepared), x[J], i, terms)...};
          v = evaluate(join(terms, std::get<J>(own)...), terms, d, std::get<J>(own)...);
        }
        ((v = guard<J>(v, x[J], i)), ...);
        value[i] = v;
        ((partials[J][i] = d[J]), ...);
      }
    }
    // One loop for each case of kTermsCases, in which the compiler knows the terms. Integers never vary.
    template <std::size_t... J>
    static constexpr unsigned reals(std::index_sequence<J...>) {
      return ((domain<J>() == Domain::integer || domain<J>() == Domain::nonnegative_integer ||
                       domain<J>() == Domain::positive_integer
                   ? 0U
                   : 1U << J) |
              ...);
    }
    template <std::size_t C>
    KULLBACK_INLINE static bool run_case(const Row& row) {
      constexpr Terms terms = F::kTermsCases[C];
      const unsigned varying = row.terms.varying & reals(Arguments{});
      if (row.terms.normalized != terms.normalized) return false;
      if (terms.normalized ? (varying & ~terms.varying) != 0 : varying != terms.varying) return false;
      run_of(row, terms, Arguments{});
      return true;
    }
    template <std::size_t... C>
    KULLBACK_INLINE static void run_cases(const Row& row, std::index_sequence<C...>) {
      if (!(run_case<C>(row) || ...)) run_of(row, row.terms, Arguments{});
    }
    KULLBACK_INLINE static void run(const Row& row) {
      if constexpr (requires { F::template run_fast<arrays>(row); }) {
        F::template run_fast<arrays>(row);
      } else if constexpr (requires { F::kTermsCases; }) {
        run_cases(row, std::make_index_sequence<std::size(F::kTermsCases)>{});
      } else {
        run_of(row, row.terms, Arguments{});
      }
    }
  };

  template <std::size_t... K>
  static constexpr std::array<FastRow, sizeof...(K)> fast_rows_of(std::index_sequence<K...>) {
    return {FastRow{F::kFastRows[K], &dispatch<Fast<F::kFastRows[K]>, Row>}...};
  }
  static constexpr auto fast_rows() {
    if constexpr (requires { F::kFastRows; }) {
      return fast_rows_of(std::make_index_sequence<std::size(F::kFastRows)>{});
    } else {
      return std::array<FastRow, 0>{};
    }
  }

  // -- what Kernel needs --
  template <std::size_t... J>
  static bool is_inside_of(std::size_t argument, double x, std::index_sequence<J...>) {
    return ((J == argument && is_inside<domain<J>()>(x)) || ...);
  }
  static bool is_inside_argument(std::size_t argument, double x) {
    return is_inside_of(argument, x, Arguments{});
  }
  template <std::size_t... J>
  static void prepare_of(std::size_t argument, double x, const Terms& terms, Prepared& to,
                         std::index_sequence<J...>) {
    ((J == argument ? void(std::get<J>(to) = prepare_one<J>(x, terms)) : void()), ...);
  }
  static void prepare(std::size_t argument, double x, const Terms& terms, void* prepared) {
    prepare_of(argument, x, terms, *static_cast<Prepared*>(prepared), Arguments{});
  }
  template <std::size_t... J>
  static constexpr unsigned plain_of(std::index_sequence<J...>) {
    return ((std::same_as<PreparedAt<J>, Plain> && (J == 0 || !kHasJoint) ? 1U << J : 0U) | ...);
  }

  static constexpr auto kFast = fast_rows();
  static constexpr Kernel kKernel = {.arity = kArity,
                                     .plain = plain_of(Arguments{}),
                                     .prepared_size = sizeof(Prepared),
                                     .is_inside = &is_inside_argument,
                                     .prepare = &prepare,
                                     .run = &run,
                                     .fast_rows = std::span<const FastRow>(kFast)};

  static void batch(const DensityCall& call) {
    if (call.count == 1 && call.lanes == 1) {  // a scalar prior: nothing to share
      double x[kArity];
      double d[kArity] = {};
      for (std::size_t j = 0; j < kArity; ++j) x[j] = call.arguments[j].value[call.arguments[j].at(0)];
      const double v = value(x, call.terms, call.partials != nullptr ? d : nullptr);
      call.result[0] = call.each ? v : call.result[0] + v;
      if (call.partials == nullptr) return;
      for (std::size_t j = 0; j < kArity; ++j)
        if (call.partials[j] != nullptr) call.partials[j][0] = d[j];
      return;
    }
    Prepared prepared[kLaneChunk];
    run_batch(kKernel, call, prepared);
  }

  static constexpr Density describe() { return {.value = &value, .batch = &batch}; }
};

}  // namespace kernel

template <class Family>
constexpr Distribution describe_distribution(std::string_view name, bool discrete = false) {
  constexpr Domain variate = Family::kArguments[0].domain;
  constexpr Domain cdf_variate = [] {
    if constexpr (requires { Family::kCdfVariate; }) return Family::kCdfVariate;
    return variate;
  }();
  Distribution result;
  result.name = name;
  result.discrete = discrete;
  result.arguments = Family::kArguments;
  result.cdf_variate = cdf_variate;
  result.log_density = kernel::Function<Family, typename Family::Density, variate>::describe();
  if constexpr (requires { typename Family::LogCdf; })
    result.log_cdf = kernel::Function<Family, typename Family::LogCdf, cdf_variate>::describe();
  if constexpr (requires { typename Family::LogCcdf; })
    result.log_ccdf = kernel::Function<Family, typename Family::LogCcdf, cdf_variate>::describe();
  if constexpr (requires { &Family::relation; }) result.relation = &Family::relation;
  if constexpr (requires { &Family::random; }) result.random = &Family::random;
  return result;
}

namespace distributions {
#define KULLBACK_DISTRIBUTION(name) extern const Distribution name;
#include "math/distributions/distributions.def"
#undef KULLBACK_DISTRIBUTION
}  // namespace distributions

}  // namespace kullback::math
