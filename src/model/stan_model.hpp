// A Stan program with its data, as a LogDensity.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/source.hpp"
#include "density/log_density.hpp"
#include "lang/program.hpp"
#include "model/check_data.hpp"
#include "tape/tape.hpp"

namespace kullback::model {

struct StanModelOptions {
  bool normalized = false;  // keep the constants that `~` drops
  bool jacobian = true;
  // Data whose first index is the row of minibatches; empty: those with the first size that most data share.
  std::vector<std::string> rows = {};
};

class StanRows;
class StanTerms;

class StanModel final : public density::LogDensity {
 public:
  // The program and the sources must outlive the model. Throws Error where the data do not fit.
  StanModel(const lang::Program& program, const SourceMap& sources, Data data, StanModelOptions options = {});
  ~StanModel() override;

  std::size_t dim() const override { return dim_; }
  void evaluate(const density::Batch& batch) override;
  std::string message() const override { return message_; }
  // Minibatches. Throws Error where it cannot be decided which terms belong to which row.
  density::Rows* rows() override;
  // What rows() decided, for people.
  std::string describe_rows();
  // Of the density with all rows. Throws Error where the program rejects every point that was tried.
  density::Terms* terms() override;

  const Diagnostics& data_warnings() const { return warnings_; }
  const tape::Tape* tape() const { return tape_.get(); }  // null before the first evaluation

 private:
  struct Lanes;

  bool trace(const double* theta, std::size_t lanes, std::size_t lane,
             std::shared_ptr<const tape::Tape>& tape);
  void evaluate_alone(const density::Batch& batch, std::size_t lane);
  // Runs the program on the builder, at one lane's point.
  struct Point {
    const double* theta = nullptr;
    std::size_t lanes = 1;
    std::size_t lane = 0;
  };
  struct Following;  // rows to be followed
  bool record(tape::Builder& builder, const Point& at, const Following* following, std::string& message);
  StanRows& stan_rows();
  Lanes& workspace(std::size_t lanes);

  const lang::Program& program_;
  const SourceMap& sources_;
  StanModelOptions options_;
  BoundData data_;
  Diagnostics warnings_;
  std::size_t dim_ = 0;
  std::shared_ptr<const tape::Tape> tape_;
  std::vector<std::unique_ptr<Lanes>> workspaces_;
  std::string message_;
  std::unique_ptr<StanRows> rows_;
  std::unique_ptr<StanTerms> terms_;
};

}  // namespace kullback::model
