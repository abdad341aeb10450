// What a Stan program outputs for a draw: constrained parameters, transformed parameters and generated
// quantities, with Stan's names and in Stan's order.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/prepared.hpp"

namespace kullback {
class Random;
}

namespace kullback::model {

// For one thread: draws are written one after another by the same interpreter.
class Outputs final {
 public:
  explicit Outputs(std::shared_ptr<const Prepared> prepared);
  ~Outputs();

  // As in the head of CmdStan's files: "mu", "theta.1", "L.2.1" (all containers by columns: the first index
  // runs fastest), "z.real", "pair:1".
  const std::vector<std::string>& column_names() const { return names_; }

  // One number per column, at the unconstrained point theta. False where a statement rejects: the columns of
  // its block and of later blocks are NaN, and message() says why.
  bool write(const double* theta, Random& random, double* row);
  const std::string& message() const { return message_; }

 private:
  struct Interpreter;

  void interpret(const double* theta, double* row);
  void finish_recorded(double* row);

  std::shared_ptr<const Prepared> prepared_;
  std::unique_ptr<Interpreter> interpreter_;
  std::vector<std::string> names_;
  std::string message_;
};

// Names of the unconstrained coordinates: "theta[3]"; where a constraint leaves fewer numbers than the value
// has they count from 1: "p[1]" and "p[2]" for a simplex[3].
std::vector<std::string> coordinate_names(const Prepared& prepared);

}  // namespace kullback::model
