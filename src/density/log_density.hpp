// The narrow waist between models and algorithms: all an algorithm sees of a model.
#pragma once

#include <cstddef>
#include <cstdint>
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

// A named group of coordinates: a parameter of the program.
struct Block {
  std::string name;
  std::size_t first = 0;  // coordinates [first, first + size)
  std::size_t size = 0;
};

// The support of the constrained value behind one coordinate, for families on constrained supports.
struct Support {
  enum class Kind : unsigned char { real, positive, bounded, other };
  Kind kind = Kind::real;  // positive: (lower, inf) or (-inf, upper); other: coupled with its neighbours (a simplex)
  double lower = 0;        // finite where it is one
  double upper = 0;
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
  // The rows of the next evaluations (from 0, without repetition), scaled by count / rows.size(); all rows: empty.
  virtual void choose(std::span<const std::uint32_t> rows) = 0;
};

class LogDensity {
 public:
  virtual ~LogDensity() = default;

  virtual std::size_t dim() const = 0;
  // Highest derivative that evaluate gives: 1 here.
  virtual int order() const { return 1; }
  // Evaluations of one object must not overlap in time: a thread has its own (see clone).
  virtual void evaluate(const Batch& batch) = 0;
  // Why the last evaluation was not ok, for people; empty where it was.
  virtual std::string message() const { return {}; }

  // Capabilities, absent unless a model has them.
  virtual std::span<const Block> blocks() const { return {}; }
  virtual std::span<const Support> supports() const { return {}; }
  virtual Terms* terms() { return nullptr; }
  virtual Rows* rows() { return nullptr; }
};

}  // namespace kullback::density
