// Models written in C++, traced onto the same tape as Stan programs:
//
//   CppModel model([&](Joint& p) {
//     Real mu = p.real("mu");
//     Real tau = p.positive("tau");
//     Vector theta = p.vector("theta", y.size());
//     p += normal_lpdf(theta, mu, tau);
//     p += normal_lpdf(y, theta, sigma);
//   });
//
// Types, operators and functions are Stan's, and so is what they mean; indexes count from 0, as in C++.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "density/log_density.hpp"
#include "model/layout.hpp"
#include "tape/record/value.hpp"

namespace kullback::tape {
struct Tape;
}

namespace kullback::model {

class Recording;

// A number, a vector, a matrix or an array of them; data, or dependent on parameters. It belongs to the call
// of the model's function in which it was made. What its type allows is checked while the function runs, by
// Stan's rules.
class Quantity final {
 public:
  template <class T>
    requires std::is_arithmetic_v<T>
  Quantity(T number) : Quantity(of_number(number)) {}  // NOLINT: numbers mix freely with quantities
  Quantity(const std::vector<double>& numbers);        // NOLINT: a vector
  Quantity(const std::vector<int>& numbers);           // NOLINT: an array of ints
  Quantity(std::uint64_t recording, tape::Value value) : recording_(recording), value_(std::move(value)) {}

  std::size_t size() const;                               // numbers
  Quantity operator[](std::size_t i) const;               // an element; of a matrix a row
  Quantity operator[](const std::vector<int>& at) const;  // alpha[group]: an element for each index
  Quantity operator()(std::size_t row, std::size_t column) const;

  Quantity& operator+=(const Quantity& other);

  std::uint64_t recording() const { return recording_; }
  const tape::Value& value() const { return value_; }

 private:
  template <class T>
  static Quantity of_number(T number) {
    if constexpr (std::is_integral_v<T>) {
      if (std::in_range<int>(number)) return of_int(static_cast<int>(number));
    }
    return of_double(static_cast<double>(number));
  }
  static Quantity of_int(int number);
  static Quantity of_double(double number);

  std::uint64_t recording_ = 0;
  tape::Value value_;
};

// Names that say what is meant; the type of each is found while the model's function runs.
using Real = Quantity;
using Vector = Quantity;
using Matrix = Quantity;

// Data as a matrix, from its rows or from its columns one after another.
Matrix matrix(const std::vector<std::vector<double>>& rows);
Matrix matrix(std::size_t rows, std::size_t columns, const std::vector<double>& by_columns);
Matrix transpose(const Quantity& x);

Quantity operator+(const Quantity& a, const Quantity& b);
Quantity operator-(const Quantity& a, const Quantity& b);
Quantity operator*(const Quantity& a, const Quantity& b);  // of matrices and vectors: the matrix product
Quantity operator/(const Quantity& a, const Quantity& b);
Quantity operator-(const Quantity& a);
// Where a number depends on parameters, the tape is guarded by the outcome: a draw for which it comes out
// differently is traced anew.
bool operator<(const Quantity& a, const Quantity& b);
bool operator<=(const Quantity& a, const Quantity& b);
bool operator>(const Quantity& a, const Quantity& b);
bool operator>=(const Quantity& a, const Quantity& b);

// An argument of a call: data where it is a number or a std::vector, which no branch of the function can
// make a parameter; a Quantity is not, whatever it holds in this run.
class Argument final {
 public:
  Argument(const Quantity& given) : quantity(given) {}  // NOLINT: numbers mix freely with quantities
  template <class T>
    requires(std::is_constructible_v<Quantity, const T&> && !std::is_same_v<T, Quantity>)
  Argument(const T& data) : quantity(data), is_data(true) {}  // NOLINT

  Quantity quantity;
  bool is_data = false;
};

// Any function or distribution of Stan by its name: call("student_t_lpdf", {y, nu, mu, sigma}). Densities
// keep their constants; "student_t_lupdf" drops those that Stan's `~` drops: terms of data alone.
using Here = std::source_location;  // where a call is written, for messages
Quantity call(std::string_view name, std::initializer_list<Argument> arguments, Here here = Here::current());

// The point is refused: its status is `rejected`, the message is that of the density.
[[noreturn]] void reject(const std::string& message);

#define KULLBACK_CALL1(name) \
  inline Quantity name(const Quantity& a, Here here = Here::current()) { return call(#name, {a}, here); }
#define KULLBACK_CALL2(name)                                                                \
  inline Quantity name(const Quantity& a, const Quantity& b, Here here = Here::current()) { \
    return call(#name, {a, b}, here);                                                       \
  }
#define KULLBACK_CALL3(name)                                                    \
  inline Quantity name(const Quantity& a, const Quantity& b, const Quantity& c, \
                       Here here = Here::current()) {                           \
    return call(#name, {a, b, c}, here);                                        \
  }
#define KULLBACK_CALL4(name)                                                                       \
  inline Quantity name(const Quantity& a, const Quantity& b, const Quantity& c, const Quantity& d, \
                       Here here = Here::current()) {                                              \
    return call(#name, {a, b, c, d}, here);                                                        \
  }
#include "model/cpp_functions.def"
#undef KULLBACK_CALL1
#undef KULLBACK_CALL2
#undef KULLBACK_CALL3
#undef KULLBACK_CALL4

// Constraints of numbers, one by one. Bounds may depend on parameters.
struct Constraint {
  std::optional<Quantity> lower = {};
  std::optional<Quantity> upper = {};
  std::optional<Quantity> offset = {};
  std::optional<Quantity> multiplier = {};
};
Constraint at_least(const Quantity& bound);
Constraint at_most(const Quantity& bound);
Constraint between(const Quantity& lower, const Quantity& upper);
Constraint affine(const Quantity& offset, const Quantity& multiplier);

// The joint density while it is written: declares parameters, in the order of the coordinates, and sums log
// densities. Jacobians of constraints are added by themselves.
class Joint final {
 public:
  explicit Joint(Recording& recording) : recording_(recording) {}

  Real real(std::string_view name, const Constraint& constraint = {});
  Real positive(std::string_view name);
  Vector vector(std::string_view name, std::size_t size, const Constraint& constraint = {});
  Matrix matrix(std::string_view name, std::size_t rows, std::size_t columns,
                const Constraint& constraint = {});
  Vector simplex(std::string_view name, std::size_t size);
  Vector ordered(std::string_view name, std::size_t size);
  Vector positive_ordered(std::string_view name, std::size_t size);
  Vector unit_vector(std::string_view name, std::size_t size);
  Vector sum_to_zero(std::string_view name, std::size_t size);
  Matrix corr_matrix(std::string_view name, std::size_t size);
  Matrix cov_matrix(std::string_view name, std::size_t size);
  Matrix cholesky_factor_corr(std::string_view name, std::size_t size);
  Matrix cholesky_factor_cov(std::string_view name, std::size_t size);

  Joint& operator+=(const Quantity& log_density);  // the sum of its numbers

 private:
  Recording& recording_;
};

struct CppModelOptions {
  bool jacobian = true;
};

class CppModel final : public density::LogDensity {
 public:
  // Called once or twice now, and again for draws on other branches; by clones in their threads. It must
  // declare the same parameters each time.
  using Function = std::function<void(Joint&)>;

  // Throws Error for what is wrong with the function, or where it rejects every point that is tried.
  explicit CppModel(Function function, CppModelOptions options = {});
  ~CppModel() override;

  std::size_t dim() const override { return layout_->supports.size(); }
  void evaluate(const density::Batch& batch) override;
  // Of a density that is not finite: the operation behind it, found by another run of the function.
  std::string message() const override;
  std::unique_ptr<density::LogDensity> clone() const override;
  std::span<const density::Block> blocks() const override { return layout_->blocks; }
  std::span<const density::Support> supports() const override { return layout_->supports; }

  const tape::Tape& tape() const { return *tape_; }

 private:
  struct Lanes;
  struct Known;  // what was made of other branches than that of the tape

  CppModel(const CppModel& other);  // without its workspaces

  void record(Recording& recording) const;
  Lanes& branch_at(const std::vector<double>& theta);
  void evaluate_alone(const density::Batch& batch, std::size_t lane);
  void finish(const density::Batch& batch, std::size_t lane);
  void refuse(std::string why);  // what message() tells
  std::vector<double> point_of(const density::Batch& batch, std::size_t lane) const;
  Lanes& workspace(std::size_t lanes);

  std::shared_ptr<const Function> function_;
  CppModelOptions options_;
  std::shared_ptr<const Layout> layout_;
  std::shared_ptr<const tape::Tape> tape_;
  std::vector<std::unique_ptr<Lanes>> workspaces_;
  std::unique_ptr<Known> known_;
  std::string message_;
  std::vector<double> not_finite_;  // the last draw of which that is to be told
};

}  // namespace kullback::model
