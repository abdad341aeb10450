// The narrow waist between models and algorithms: all an algorithm sees of a model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace kullback::density {

enum class Status : unsigned char {
  ok,
  not_finite,  // NaN or infinite: outside the support, or a numerical failure
  rejected,    // reject(), or an argument a function refuses; the message says which
};

// K points at once, lanes innermost: coordinate i of draw k is theta[i * lanes + k].
struct Batch {
  std::size_t lanes = 1;
  const double* theta = nullptr;
  double* log_density = nullptr;  // lanes
  double* gradient = nullptr;     // dim * lanes, same layout as theta; null: not wanted
  Status* status = nullptr;       // lanes
};

// A named group of coordinates: a parameter of the program. Slots of a tuple are blocks of their own ("t.1").
struct Block {
  std::string name;
  std::size_t first = 0;  // coordinates [first, first + size)
  std::size_t size = 0;
};

// The support of the constrained value behind one coordinate, for families on constrained supports.
struct Support {
  enum class Kind : unsigned char {
    real,
    positive,  // (lower, inf) or (-inf, upper)
    bounded,   // (lower, upper)
    simplex,   // one of `size` coordinates in a row, isometric log-ratios (base/helmert.hpp) of one simplex
    other,     // it depends on other coordinates: an order, a covariance, a bound that is a parameter
  };
  Kind kind = Kind::real;
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  std::size_t size = 1;  // of a simplex: its coordinates, one fewer than its elements
};

// The log density as a sum of pieces.
class Terms {
 public:
  virtual ~Terms() = default;
  virtual std::size_t count() const = 0;
  // The coordinates that a term depends on, in order.
  virtual std::span<const std::uint32_t> coordinates(std::size_t term) const = 0;
  // All terms at K points: result[term * lanes + k]. Their sum over terms is the log density.
  virtual void evaluate(std::size_t lanes, const double* theta, double* result) = 0;
};

// Minibatches of the data's rows.
class Rows {
 public:
  virtual ~Rows() = default;
  virtual std::size_t count() const = 0;
  // The rows of the next evaluations (from 0, without repetition), scaled by count / rows.size(); all rows:
  // empty.
  virtual void choose(std::span<const std::uint32_t> rows) = 0;
  // The coordinates that only terms of this row depend on, in order: the row's own part of parameters that
  // have an element for each row. With other rows chosen the gradient to them is 0.
  virtual std::span<const std::uint32_t> coordinates(std::size_t /*row*/) const { return {}; }
  // By row, the number of its stratum, from 0, where the user named strata; else empty.
  virtual std::span<const std::uint32_t> strata() const { return {}; }
};

class LogDensity {
 public:
  virtual ~LogDensity() = default;

  virtual std::size_t dim() const = 0;
  // Highest derivative: 1, or 2 where hessian_times is exact (else it is by differences of gradients).
  virtual int order() const { return 1; }
  // Evaluations of one object must not overlap in time: a thread has its own clone.
  virtual void evaluate(const Batch& batch) = 0;
  // H v at one point for `count` directions: direction d has coordinate i at v[i * count + d]; result
  // likewise. False where the density is not finite at the point, or (by differences) beside it.
  virtual bool hessian_times(const double* theta, std::size_t count, const double* v, double* result);
  // Why the last evaluation was not ok, for people; empty where it was.
  virtual std::string message() const { return {}; }

  // The same density for another thread: what is immutable is shared, the rest is its own. Clones made after
  // an evaluation give the same bits as the original. Null where a density runs in one thread only.
  virtual std::unique_ptr<LogDensity> clone() const { return nullptr; }

  // Capabilities, absent unless a model has them.
  virtual std::span<const Block> blocks() const { return {}; }
  virtual std::span<const Support> supports() const { return {}; }
  virtual Terms* terms() { return nullptr; }
  // The finest terms: where terms() has one for all observations that depend on the same coordinates, each
  // observation is a term of its own.
  virtual Terms* factors() { return nullptr; }
  virtual Rows* rows() { return nullptr; }
};

}  // namespace kullback::density
