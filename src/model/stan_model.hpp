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
};

class StanModel final : public density::LogDensity {
 public:
  // The program and the sources must outlive the model. Throws Error where the data do not fit.
  StanModel(const lang::Program& program, const SourceMap& sources, Data data, StanModelOptions options = {});
  ~StanModel() override;

  std::size_t dim() const override { return dim_; }
  void evaluate(const density::Batch& batch) override;
  std::string message() const override { return message_; }

  const Diagnostics& data_warnings() const { return warnings_; }
  const tape::Tape* tape() const { return tape_.get(); }  // null before the first evaluation

 private:
  struct Lanes;

  bool trace(const double* theta, std::size_t lanes, std::size_t lane,
             std::shared_ptr<const tape::Tape>& tape);
  void evaluate_alone(const density::Batch& batch, std::size_t lane);
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
};

}  // namespace kullback::model
