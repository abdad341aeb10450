// Univariate distributions: log density (or mass), cumulative functions and random numbers, as one record
// each. One file per distribution in math/distributions/<name>.cpp, one line in
// distributions/distributions.def.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "math/operand.hpp"

namespace kullback {
class Random;
}

namespace kullback::math {

// Which terms of a log density to keep. `~` drops a term in which no argument is autodiff by its type.
struct Terms {
  bool normalized = true;
  unsigned varying = ~0U;  // bit i: argument i (0: the variate) varies; if not normalized: is autodiff

  bool keep(unsigned arguments) const { return normalized || (varying & arguments) != 0; }
  bool varies(int argument) const { return (varying >> argument & 1U) != 0; }
};

enum class Domain : unsigned char {
  any,  // not NaN
  finite,
  positive,  // > 0, may be infinite
  positive_finite,
  nonnegative,
  nonnegative_finite,
  probability,       // [0, 1]
  open_probability,  // (0, 1)
  integer,
  nonnegative_integer,
  positive_integer,
  correlation,  // [-1, 1]
};

struct ArgumentDef {
  std::string_view name;  // as in messages: "scale"
  Domain domain = Domain::any;
};

struct DensityCall {
  std::size_t count = 1;
  std::size_t lanes = 1;
  Terms terms;
  const Operand* arguments = nullptr;  // the variate first; int arguments are doubles
  double* result = nullptr;            // lanes of them: the sum over elements is ADDED
  // Where gradients are wanted: for each argument that varies, partials[j] receives d result / d argument j:
  // count * lanes numbers, or lanes (summed over elements) where the argument is broadcast. Null otherwise.
  double* const* partials = nullptr;
  // Instead of sums: count * lanes results, which are assigned, and as many partials of every argument.
  bool each = false;
};

// A function of (variate, parameters...) that sums over elements: _lpdf, _lpmf, _lcdf, _lccdf.
struct Density {
  double (*value)(const double* arguments, Terms terms, double* partials) = nullptr;  // partials may be null
  void (*batch)(const DensityCall& call) = nullptr;
};

// Contract of value and batch: an argument outside its domain makes the element NaN; a variate outside the
// support (but inside its domain) makes a density -inf; both with whatever partials.
struct Distribution {
  std::string_view name;  // the family: "normal"
  bool discrete = false;
  std::span<const ArgumentDef> arguments;  // the variate first
  Density log_density;
  Density log_cdf;  // null members where Stan has none
  Density log_ccdf;
  // _cdf is exp(log_cdf), which keeps its accuracy: relative error of exp(v) is the absolute error of v.
  double (*random)(Random& random, const double* parameters) = nullptr;  // null where Stan has none
  Domain cdf_variate = Domain::any;  // the domain of the variate in log_cdf and log_ccdf
  // What is wrong with arguments that are each in their domain ("upper bound must be greater than lower
  // bound"), or null; null member where nothing can be.
  const char* (*relation)(const double* arguments) = nullptr;
};

const Distribution* find_distribution(std::string_view family);
std::span<const Distribution* const> all_distributions();

// The first argument of an element that is outside its domain, as Stan would say it:
// "normal_lpdf: scale is -1, but must be positive". Empty where all are inside.
std::string describe_bad_argument(const Distribution& distribution, std::string_view suffix,
                                  const double* arguments);

bool contains(Domain domain, double value);

}  // namespace kullback::math
