// The small language in which signatures/*.def writes signatures, and its parser. A line holds the
// overloads of one function; arguments range over classes of types instead of being listed:
//
//   line        overload ; overload ; ...
//   overload    argument , argument -> result [& complex]
//   argument    [data] [3*] [T=] alternative / alternative / ...
//   alternative type | type^7 (in 0 to 7 more arrays) | type^1-3 | T | map(T)
//   type        int, array[,] real, ... or the name of a class (below), which starts with a capital
//   result      type | T | map(T) | tuple(type, type) | type|type
//
// Arguments without T choose their alternative independently. T= makes an argument choose the type T
// that others and the result name again; real(T), complex(T), int(T), vector(T), matrix(T) change what
// it holds, array(T) adds a level, ints(T) is the int array with as many dimensions. `a|b` is a when
// all arguments are int or real, b otherwise. Without an arrow an overload has the result of the next
// one, or real. `& complex` adds the same overload with complex in place of real throughout.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

#include "math/type.hpp"

namespace kullback::math::pattern {

inline constexpr int kMaxArguments = 14;  // ode_adjoint_tol_ctl has that many
inline constexpr int kKinds = 10;         // void_ to complex_matrix

// A type that is no tuple and no function, as two bytes.
struct FlatType {
  Kind kind = Kind::void_;
  std::uint8_t rank = 0;
  bool operator==(const FlatType&) const = default;
};

// A set of types: bit r of ranks[k] stands for kind k under r levels of array.
struct Class {
  std::array<std::uint16_t, kKinds> ranks = {};

  constexpr bool has(FlatType t) const {
    return static_cast<int>(t.kind) < kKinds && t.rank < 16 &&
           (ranks[static_cast<std::size_t>(t.kind)] >> t.rank & 1) != 0;
  }
  constexpr bool empty() const { return *this == Class{}; }
  constexpr bool operator==(const Class&) const = default;
  constexpr Class operator|(const Class& other) const {
    Class both = *this;
    for (std::size_t k = 0; k < kKinds; ++k)
      both.ranks[k] = static_cast<std::uint16_t>(both.ranks[k] | other.ranks[k]);
    return both;
  }
  // Under `low` to `high` more levels of array.
  constexpr Class nested(int low, int high) const {
    Class result;
    for (std::size_t k = 0; k < kKinds; ++k) {
      for (int r = low; r <= high; ++r)
        result.ranks[k] = static_cast<std::uint16_t>(result.ranks[k] | ranks[k] << r);
    }
    return result;
  }
};

constexpr Class one(Kind kind, int rank = 0) {
  Class c;
  c.ranks[static_cast<std::size_t>(kind)] = static_cast<std::uint16_t>(1 << rank);
  return c;
}

// The named classes.
inline constexpr Class kScalar = one(Kind::int_) | one(Kind::real);
inline constexpr Class kDense = one(Kind::vector) | one(Kind::row_vector) | one(Kind::matrix);
inline constexpr Class kComplexDense =
    one(Kind::complex_vector) | one(Kind::complex_row_vector) | one(Kind::complex_matrix);
inline constexpr Class kAny = kScalar | kDense | one(Kind::complex) | kComplexDense;
inline constexpr Class kReal1d = one(Kind::real, 1) | one(Kind::vector) | one(Kind::row_vector);
inline constexpr Class kReals = one(Kind::real) | kReal1d;
inline constexpr Class kInts = one(Kind::int_) | one(Kind::int_, 1);
inline constexpr Class kNumbers = kReals | kInts;
inline constexpr Class kVectors = (one(Kind::vector) | one(Kind::row_vector)).nested(0, 1);
inline constexpr Class kDeep = (kScalar | kDense).nested(0, 7);
inline constexpr Class kDeepComplex = (one(Kind::complex) | kComplexDense).nested(0, 7);
inline constexpr Class kRealContainer = (one(Kind::real, 1) | kDense).nested(0, 7);
inline constexpr Class kContainer = kRealContainer | one(Kind::int_, 1).nested(0, 7);
inline constexpr Class kComplexContainer = (one(Kind::complex, 1) | kComplexDense).nested(0, 7);

struct Word {
  std::string_view name;
  Class types;
};

inline constexpr Word kWords[] = {
    {"real", one(Kind::real)},
    {"vector", one(Kind::vector)},
    {"int", one(Kind::int_)},
    {"matrix", one(Kind::matrix)},
    {"row_vector", one(Kind::row_vector)},
    {"complex", one(Kind::complex)},
    {"complex_vector", one(Kind::complex_vector)},
    {"complex_row_vector", one(Kind::complex_row_vector)},
    {"complex_matrix", one(Kind::complex_matrix)},
    {"Scalar", kScalar},    // int, real
    {"Dense", kDense},      // vector, row_vector, matrix
    {"Any", kAny},          // every type that is neither array nor tuple
    {"Real1d", kReal1d},    // array[] real, vector, row_vector
    {"Reals", kReals},      // real or Real1d: a real argument that vectorises
    {"Ints", kInts},        // int, array[] int: an int argument that vectorises
    {"Numbers", kNumbers},  // Reals or Ints
    {"Vectors", kVectors},  // vector, row_vector, arrays of them
    {"Deep", kDeep},        // what unary functions map over: Scalar or Dense in up to 7 arrays
    {"DeepComplex", kDeepComplex},
    {"Container", kContainer},  // what binary functions map over: arrays of numbers, Dense in arrays
    {"RealContainer", kRealContainer},
    {"ComplexContainer", kComplexContainer},
};

// A type made from T.
struct Map {
  enum class Of : std::uint8_t { none, same, real, complex, int_, ints, vector, matrix };
  Of of = Of::none;
  std::uint8_t arrays = 0;

  constexpr FlatType operator()(FlatType t) const;
};

struct ArgumentSpec {
  Class types;  // what is chosen here, for T= or independently
  Map map;      // or made from T
  bool data_only = false;
};

struct ResultSpec {
  enum class Form : std::uint8_t { type, of_t, by_shape, tuple };
  Form form = Form::type;
  Map map;
  std::uint8_t count = 1;
  std::array<FlatType, 6> types = {
      FlatType{Kind::real, 0}};  // the type; scalar and container; a tuple's elements
};

struct Pattern {
  std::array<ArgumentSpec, kMaxArguments> arguments;
  std::uint8_t count = 0;
  std::int8_t pivot = -1;  // the argument written T=
  ResultSpec result;
};

constexpr Kind real_kind(Kind kind) {
  switch (kind) {
    case Kind::int_:
    case Kind::complex: return Kind::real;
    case Kind::complex_vector: return Kind::vector;
    case Kind::complex_row_vector: return Kind::row_vector;
    case Kind::complex_matrix: return Kind::matrix;
    default: return kind;
  }
}

constexpr Kind complex_kind(Kind kind) {
  switch (kind) {
    case Kind::real: return Kind::complex;
    case Kind::vector: return Kind::complex_vector;
    case Kind::row_vector: return Kind::complex_row_vector;
    case Kind::matrix: return Kind::complex_matrix;
    default: return kind;
  }
}

constexpr int dimensions(Kind kind) {
  switch (real_kind(kind)) {
    case Kind::vector:
    case Kind::row_vector: return 1;
    case Kind::matrix: return 2;
    default: return 0;
  }
}

constexpr FlatType Map::operator()(FlatType t) const {
  switch (of) {
    case Of::none:
    case Of::same: break;
    case Of::real: t.kind = real_kind(t.kind); break;
    case Of::complex: t.kind = complex_kind(t.kind); break;
    case Of::int_: t.kind = Kind::int_; break;
    case Of::ints:
      t.rank = static_cast<std::uint8_t>(t.rank + dimensions(t.kind));
      t.kind = Kind::int_;
      break;
    case Of::vector: t.kind = Kind::vector; break;
    case Of::matrix: t.kind = Kind::matrix; break;
  }
  t.rank = static_cast<std::uint8_t>(t.rank + arrays);
  return t;
}

constexpr void make_complex(Pattern& p) {
  for (std::size_t i = 0; i < p.count; ++i) {
    auto& ranks = p.arguments[i].types.ranks;
    for (Kind kind : {Kind::real, Kind::vector, Kind::row_vector, Kind::matrix}) {
      auto& from = ranks[static_cast<std::size_t>(kind)];
      auto& to = ranks[static_cast<std::size_t>(complex_kind(kind))];
      to = static_cast<std::uint16_t>(to | from);
      from = 0;
    }
  }
  for (FlatType& t : p.result.types) t.kind = complex_kind(t.kind);
}

// Reads one line; `next` gives its overloads one by one, false at the end or at a mistake. Hand it the same
// pattern each time: the complex form of an overload is made from what it holds.
class Parser final {
 public:
  constexpr explicit Parser(std::string_view line) : rest_(line) {}

  constexpr bool next(Pattern& p) {
    if (again_) {
      again_ = false;
      make_complex(p);
      return true;
    }
    skip_spaces();
    if (done_ || !ok_) return false;
    p.count = 0;
    p.pivot = -1;
    p.result = {};
    if (!rest_.empty() && !starts("->") && !starts(";")) {
      do {
        argument(p);
      } while (ok_ && take(","));
    }
    if (take("->")) {
      result(p.result);
    } else if (const auto arrow = rest_.find("->"); arrow != std::string_view::npos) {
      Parser later(rest_.substr(arrow + 2));
      later.result(p.result);
      ok_ = ok_ && later.ok_;
    }
    if (take("&")) {
      ok_ = ok_ && take("complex");
      again_ = true;
    }
    skip_spaces();
    if (rest_.empty()) {
      done_ = true;
    } else if (!take(";")) {
      ok_ = false;
    }
    if (p.pivot < 0) {  // nothing may name T
      for (std::size_t i = 0; i < p.count; ++i) ok_ = ok_ && p.arguments[i].map.of == Map::Of::none;
      ok_ = ok_ && p.result.form != ResultSpec::Form::of_t;
    }
    return ok_;
  }

  constexpr bool ok() const { return ok_; }

 private:
  constexpr void skip_spaces() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
  }
  constexpr bool starts(std::string_view token) const { return rest_.substr(0, token.size()) == token; }
  constexpr bool take(std::string_view token) {
    skip_spaces();
    if (!starts(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  static constexpr bool in_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }
  constexpr std::string_view word() {
    skip_spaces();
    std::size_t n = 0;
    while (n < rest_.size() && in_word(rest_[n])) ++n;
    const std::string_view w = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return w;
  }
  constexpr int digit() {
    if (rest_.empty() || rest_.front() < '0' || rest_.front() > '9') {
      ok_ = false;
      return 0;
    }
    const int value = rest_.front() - '0';
    rest_.remove_prefix(1);
    return value;
  }

  // A type or class, without ^; `w` is its first word, already read.
  constexpr Class type(std::string_view w) {
    int rank = 0;
    if (w == "array") {
      ok_ = ok_ && take("[");
      for (rank = 1; take(",");) ++rank;
      ok_ = ok_ && take("]");
      w = word();
    }
    for (const Word& known : kWords) {
      if (known.name == w) return rank == 0 ? known.types : known.types.nested(rank, rank);
    }
    ok_ = false;
    return {};
  }
  constexpr FlatType flat_type() {
    const Class c = type(word());
    for (std::size_t k = 0; k < kKinds; ++k) {
      if (c.ranks[k] == 0) continue;
      return {static_cast<Kind>(k), static_cast<std::uint8_t>(std::countr_zero(c.ranks[k]))};
    }
    ok_ = false;
    return {};
  }
  // What stands after map's name, "(T)"; or the name itself when it is T.
  constexpr bool map(std::string_view w, Map& m) {
    if (w == "T") {
      m.of = Map::Of::same;
      return true;
    }
    if (!starts("(") || w == "tuple") return false;
    rest_.remove_prefix(1);
    Map inner;
    ok_ = ok_ && map(word(), inner) && take(")");
    m = inner;
    if (w == "array")
      ++m.arrays;
    else if (w == "real")
      m.of = Map::Of::real;
    else if (w == "complex")
      m.of = Map::Of::complex;
    else if (w == "int")
      m.of = Map::Of::int_;
    else if (w == "ints")
      m.of = Map::Of::ints;
    else if (w == "vector")
      m.of = Map::Of::vector;
    else if (w == "matrix")
      m.of = Map::Of::matrix;
    else
      ok_ = false;
    return true;
  }

  constexpr void argument(Pattern& p) {
    ArgumentSpec spec;
    int times = 1;
    spec.data_only = take("data ");
    skip_spaces();
    if (rest_.size() > 1 && rest_[1] == '*') {
      times = digit();
      rest_.remove_prefix(1);
    }
    const bool pivot = take("T=");
    do {
      const std::string_view w = word();
      if (map(w, spec.map)) continue;
      Class c = type(w);
      if (take("^")) {
        int low = 0;
        int high = digit();
        if (starts("-")) {
          rest_.remove_prefix(1);
          low = high;
          high = digit();
        }
        c = c.nested(low, high);
      }
      spec.types = spec.types | c;
    } while (ok_ && take("/"));
    if (pivot) {
      ok_ = ok_ && p.pivot < 0 && times == 1 && spec.map.of == Map::Of::none;
      p.pivot = static_cast<std::int8_t>(p.count);
    }
    for (; times > 0; --times) {
      if (p.count == kMaxArguments) {
        ok_ = false;
        return;
      }
      p.arguments[p.count++] = spec;
    }
  }

  constexpr void result(ResultSpec& r) {
    const auto start = rest_;
    const std::string_view w = word();
    if (map(w, r.map)) {
      r.form = ResultSpec::Form::of_t;
    } else if (w == "tuple") {
      r.form = ResultSpec::Form::tuple;
      ok_ = ok_ && take("(");
      r.count = 0;
      do {
        if (r.count == r.types.size()) {
          ok_ = false;
          return;
        }
        r.types[r.count++] = flat_type();
      } while (ok_ && take(","));
      ok_ = ok_ && take(")");
    } else {
      rest_ = start;
      r.types[0] = flat_type();
      if (take("|")) {
        r.form = ResultSpec::Form::by_shape;
        r.types[1] = flat_type();
        r.count = 2;
      }
    }
  }

  std::string_view rest_;
  bool ok_ = true;
  bool done_ = false;
  bool again_ = false;  // the complex form comes next
};

constexpr std::size_t count_overloads(std::string_view line) {
  Parser parser(line);
  Pattern p;
  std::size_t n = 0;
  while (parser.next(p)) ++n;
  if (!parser.ok()) throw "a mistake in this line";  // to the compiler, which reads the .def files
  return n;
}

template <std::size_t n>
constexpr std::array<Pattern, n> parse(std::string_view line) {
  std::array<Pattern, n> all;
  Parser parser(line);
  Pattern p;
  for (std::size_t i = 0; parser.next(p); ++i) all[i] = p;
  return all;
}

}  // namespace kullback::math::pattern
