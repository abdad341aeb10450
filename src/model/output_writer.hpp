// What a model outputs for a draw, whatever kind of model it is.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace kullback {
class Random;
}

namespace kullback::model {

// For one thread: a thread has its own clone.
class OutputWriter {
 public:
  virtual ~OutputWriter() = default;

  // As in the head of CmdStan's files: "mu", "theta.1", "L.2.1" (all containers by columns: the first index
  // runs fastest), "z.real", "pair:1".
  virtual const std::vector<std::string>& column_names() const = 0;
  // Columns [0, parameter_columns) are parameters, [parameter_columns, generated_columns_begin) transformed
  // parameters, the rest generated quantities.
  virtual std::size_t parameter_columns() const = 0;
  virtual std::size_t generated_columns_begin() const = 0;

  // One number per column, at the unconstrained point theta. False where the program rejects: the columns of
  // the block that does and of later blocks are NaN, and message() says why.
  virtual bool write(const double* theta, Random& random, double* row) = 0;
  // The first parameter_columns() columns only, which need no random numbers. Likewise false, with NaN.
  virtual bool write_params(const double* theta, double* row) = 0;
  virtual std::string message() const = 0;

  // Null where a model runs in one thread only.
  virtual std::unique_ptr<OutputWriter> clone() const = 0;
};

}  // namespace kullback::model
