// The narrow waist between models and algorithms: all an algorithm sees of a model.
#pragma once

#include <cstddef>
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
};

}  // namespace kullback::density
