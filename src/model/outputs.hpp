// What a Stan program outputs for a draw: constrained parameters, transformed parameters and generated
// quantities, with Stan's names and in Stan's order.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/output_writer.hpp"
#include "model/prepared.hpp"

namespace kullback::model {

class RecordedOutputs;

// Draws are written one after another by the same interpreter.
class Outputs final : public OutputWriter {
 public:
  explicit Outputs(std::shared_ptr<const Prepared> prepared);
  ~Outputs() override;

  const std::vector<std::string>& column_names() const override { return names_; }
  std::size_t parameter_columns() const override { return parameter_columns_; }
  std::size_t generated_columns_begin() const override { return generated_columns_begin_; }
  bool write(const double* theta, Random& random, double* row) override;
  bool write_params(const double* theta, double* row) override;
  // The first generated_columns_begin() columns only, likewise.
  bool write_transformed(const double* theta, double* row);
  std::string message() const override { return message_; }
  std::unique_ptr<OutputWriter> clone() const override;

  // From the parameters of a stored draw, the numbers of the first parameter_columns() columns, which are
  // taken as they are: transformed parameters and generated quantities are those of this program and data.
  bool write_from_params(const double* params, Random& random, double* row);

 private:
  struct Interpreter;

  bool write_first_blocks(RecordedOutputs& recorded, const double* theta, double* row);
  void run_block(const RecordedOutputs& recorded, lang::BlockKind block, const tape::Ids& numbers);
  bool write_by(RecordedOutputs& recorded, const double* input, Random& random, double* row);
  void interpret(const RecordedOutputs& recorded, const double* input, double* row);
  void finish_recorded(const RecordedOutputs& recorded, double* row);

  std::shared_ptr<const Prepared> prepared_;
  std::unique_ptr<Interpreter> interpreter_;
  std::vector<std::string> names_;
  std::size_t parameter_columns_ = 0;
  std::size_t generated_columns_begin_ = 0;
  std::string message_;
};

}  // namespace kullback::model
